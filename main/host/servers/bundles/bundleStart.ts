import type { LocalServerConfig } from '../../../../preload/contract/servers.ts';

/** A bundle for Node whose first argument is its script: it runs on the application's own runtime, whatever Node this computer has. */
export function nodeScriptOf({ bundle, command, args = [] }: LocalServerConfig): { script: string; args: string[] } | undefined {
  if (bundle?.type !== 'node' || !/^node(\.exe)?$/i.test(command)) return undefined;
  const [script, ...rest] = args;
  return script === undefined || script === '' || script.startsWith('-') ? undefined : { script, args: rest };
}

/** Variables that keep what interpreters write beside a program out of its files, which must stay as they came. */
export function bundleVariables({ bundle }: LocalServerConfig, dataFolder: string): Record<string, string> {
  switch (bundle?.type) {
    case 'python':
      return { PYTHONDONTWRITEBYTECODE: '1' };
    case 'uv':
      return { PYTHONDONTWRITEBYTECODE: '1', UV_PROJECT_ENVIRONMENT: `${dataFolder}/venv` };
    default:
      return {};
  }
}
