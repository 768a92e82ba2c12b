import { openAuditOfFolder } from '../host/auditOfFolder.ts';
import type { Ports } from '../host/ports.ts';
import type { Outcome, Print } from './output.ts';

/** `audit --verify`: whether a row was removed or changed. `audit --export`: one line a row. Neither starts a host. */
export async function readAudit(ports: Ports, what: 'verify' | 'export', print: Print): Promise<Outcome> {
  const audit = openAuditOfFolder(ports);
  try {
    if (what === 'verify') {
      const { state, ...found } = await audit.check();
      return { status: state, ...found };
    }
    let rows = 0;
    for (const row of audit.rows()) {
      print({ type: 'row', ...row });
      rows += 1;
    }
    return { status: 'done', rows };
  } finally {
    audit.close();
  }
}
