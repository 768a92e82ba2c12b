import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { BundledServerConfig } from '../../../preload/contract/servers.ts';

/** A bundled server as it is run: a Node script on the application's own runtime. */
export interface BundledProgram {
  script: string;
  args: string[];
  env: Record<string, string>;
}

export const bundledNames: Readonly<Record<BundledServerConfig['bundled'], string>> = {
  files: 'Files',
  memory: 'Memory',
  everything: 'Everything',
};

const packages: Readonly<Record<BundledServerConfig['bundled'], string>> = {
  files: '@modelcontextprotocol/server-filesystem',
  memory: '@modelcontextprotocol/server-memory',
  everything: '@modelcontextprotocol/server-everything',
};

/** In a folder of its own, because the server writes a new file beside it and puts that in its place. */
const memoryFolder = (dataDir: string): string => join(dataDir, 'memory');
/** The file in which the bundled memory keeps everything. */
const memoryFile = (dataDir: string): string => join(memoryFolder(dataDir), 'memory.jsonl');

/** Brings the file of the bundled memory to its place: it stood in the data folder itself. */
export function settleMemory(dataDir: string): void {
  const former = join(dataDir, 'memory.jsonl');
  mkdirSync(memoryFolder(dataDir), { recursive: true });
  if (existsSync(former) && !existsSync(memoryFile(dataDir))) renameSync(former, memoryFile(dataDir));
}

/** Whether the bundled memory keeps anything. */
export function isMemoryEmpty(dataDir: string): boolean {
  const file = statSync(memoryFile(dataDir), { throwIfNoEntry: false });
  return file === undefined || file.size === 0;
}

export function bundledProgram(config: BundledServerConfig, dataDir: string): BundledProgram {
  const script = scriptOf(packages[config.bundled]);
  switch (config.bundled) {
    case 'files':
      return { script, args: config.folders ?? [], env: {} };
    case 'memory':
      // Without it the server would write beside its own code, which is replaced by every update.
      return { script, args: [], env: { MEMORY_FILE_PATH: memoryFile(dataDir) } };
    case 'everything':
      return { script, args: ['stdio'], env: {} };
  }
}

/** Folders of Maitre's own that a bundled server writes to. */
export const bundledOwn = (config: BundledServerConfig, dataDir: string): string[] =>
  config.bundled === 'memory' ? [memoryFolder(dataDir)] : [];

/** In a packaged application the script stands beside the archive: a utility process cannot read the archive's own files as a program. */
export const outsideArchive = (path: string): string => path.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked');

function scriptOf(packageName: string): string {
  const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
  const { bin }: { bin?: Record<string, string> } = JSON.parse(readFileSync(manifest, 'utf8'));
  const script = Object.values(bin ?? {})[0];
  if (!script) throw new Error(`The package ${packageName} names no program.`);
  return outsideArchive(join(dirname(manifest), script));
}
