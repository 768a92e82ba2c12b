import type { Session } from 'electron';
import type { Log } from '../host/ports.ts';
import { isOwnPage } from './navigation.ts';

/** Everything that a page may be granted, and why. What is not listed is denied. */
const granted: Readonly<Record<string, string>> = {
  'clipboard-sanitized-write': 'The copy buttons of code and messages write plain text.',
};

/** One rule for requests and checks: only our own main frame, only what the table grants. */
export function allowsPermission(permission: string, url: string, isMainFrame: boolean): boolean {
  return Object.hasOwn(granted, permission) && isMainFrame && isOwnPage(url);
}

/** Electron grants both by default where no handler is set, and asks them apart: a check is no request. */
export function denyPermissions(session: Session, log: Log): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    const allowed = allowsPermission(permission, details.requestingUrl, details.isMainFrame);
    if (!allowed) log.warn('A permission was denied.', { permission, url: details.requestingUrl.slice(0, 500) });
    answer(allowed);
  });
  session.setPermissionCheckHandler((_contents, permission, origin, details) =>
    allowsPermission(permission, details.requestingUrl ?? origin, details.isMainFrame),
  );
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}));
}
