import { spawn } from 'node:child_process';

/**
 * Resolves to the exit code, or to a reason when Electron ended before its window could be made. The shell says `ready` over the channel; an
 * orderly end before that is a second start, which has handed over to the first.
 */
export function runElectron(binary: string, args: readonly string[]): Promise<number | { reason: string }> {
  return new Promise((resolve) => {
    const { ELECTRON_RUN_AS_NODE: _runAsNode, ...env } = process.env;
    const child = spawn(binary, args, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
    let ready = false;
    child.on('message', (message) => {
      ready ||= message === 'ready';
    });
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const forward = (signal: NodeJS.Signals): void => {
      child.kill(signal);
    };
    for (const signal of signals) process.on(signal, forward);
    const finish = (outcome: number | { reason: string }): void => {
      for (const signal of signals) process.off(signal, forward);
      resolve(outcome);
    };
    child.on('error', (error) => finish({ reason: `Electron could not be started (${error.message})` }));
    child.on('exit', (code, signal) => {
      if (ready || code === 0) finish(code ?? 1);
      else finish({ reason: `Electron ended before it was ready (${signal ?? `code ${code}`})` });
    });
  });
}
