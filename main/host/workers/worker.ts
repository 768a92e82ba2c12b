import { parentPort } from 'node:worker_threads';
import type { Jobs } from './jobs.ts';

/** What crosses between the pool and a worker. One job at a time; `started` comes when the job's code is loaded, so that loading is no part of its time. */
export type ToWorker = { [Job in keyof Jobs]: { job: Job; input: Jobs[Job]['input'] } }[keyof Jobs];
export type FromWorker =
  { kind: 'ready' } | { kind: 'started' } | { kind: 'done'; output: unknown } | { kind: 'failed'; name: string; message: string };

/** Loaded on first use: a worker that validates never loads SQLite. */
async function load(request: ToWorker): Promise<() => unknown> {
  switch (request.job) {
    case 'validate': {
      const { validate } = await import('./validate.ts');
      return () => validate(request.input);
    }
    case 'search': {
      const { searchFile } = await import('./searchFile.ts');
      return () => searchFile(request.input);
    }
    case 'parseJson': {
      const { parseJson } = await import('./parseJson.ts');
      return () => parseJson(request.input);
    }
    case 'scan': {
      const { scan } = await import('./scan.ts');
      return () => scan(request.input);
    }
    case 'origins': {
      const { originsOfArguments } = await import('./originsOfArguments.ts');
      return () => originsOfArguments(request.input);
    }
    case 'prepareOrigins': {
      const { prepareOrigins } = await import('./originsOfArguments.ts');
      return () => prepareOrigins(request.input);
    }
    case 'findings': {
      const { findingsInArguments } = await import('./findingsInArguments.ts');
      return () => findingsInArguments(request.input);
    }
    case 'prepareFindings': {
      const { prepareFindings } = await import('./findingsInArguments.ts');
      return prepareFindings;
    }
    case 'look': {
      const { lookAtPaths } = await import('./lookAtPaths.ts');
      return () => lookAtPaths(request.input);
    }
    case 'secrets': {
      const { searchSecrets } = await import('./searchSecrets.ts');
      return () => searchSecrets(request.input);
    }
    case 'canonicalHash': {
      const { canonicalHash } = await import('./canonicalHash.ts');
      return () => canonicalHash(request.input);
    }
    case 'openBundle': {
      const { openBundle } = await import('../servers/bundles/openBundle.ts');
      return () => openBundle(request.input);
    }
    case 'digestFolder': {
      const { digestFolder } = await import('../servers/bundles/digestFolder.ts');
      return () => digestFolder(request.input);
    }
    case 'auditFind': {
      const { auditFind } = await import('./auditFile.ts');
      return () => auditFind(request.input);
    }
    case 'auditExport': {
      const { auditExport } = await import('./auditFile.ts');
      return () => auditExport(request.input);
    }
    case 'auditAccounts': {
      const { auditAccounts } = await import('./auditFile.ts');
      return () => auditAccounts(request.input);
    }
    case 'auditCheck': {
      const { auditCheck } = await import('./auditFile.ts');
      return () => auditCheck(request.input);
    }
  }
}

const port = parentPort;
if (!port) throw new Error('worker.ts runs as a worker thread only.');
const send = (message: FromWorker): void => port.postMessage(message);

port.on('message', (request: ToWorker) => {
  load(request)
    .then(async (run) => {
      send({ kind: 'started' });
      send({ kind: 'done', output: await run() });
    })
    .catch((error: unknown) => {
      send(
        error instanceof Error
          ? { kind: 'failed', name: error.name, message: error.message }
          : { kind: 'failed', name: 'Error', message: String(error) },
      );
    });
});
send({ kind: 'ready' });
