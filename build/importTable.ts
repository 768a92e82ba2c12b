/**
 * Who may import what. ARCHITECTURE.md shows these rows and `checkImports.ts` enforces them. A file obeys the row with the longest folder it
 * lies in, the upper of two equal ones; `*` stands for one name. Paths are relative to the project, files or folders.
 */
export interface ImportRow {
  /** Files in it may always import one another. */
  folder: string;
  /** The same in words, for people. */
  may: string;
  never: string;
  /** Parts of the project, at run time too. */
  project: readonly string[];
  /** Parts of `project` that stay closed all the same. */
  except?: readonly string[];
  /** Parts of the project for `import type` only. */
  types?: readonly string[];
  node: boolean;
  /** Names of packages, or `dependencies`: all that package.json installs for the running application. */
  packages: readonly string[] | 'dependencies';
  /** The only files that import what is not known before run time. */
  atRunTime?: readonly string[];
}

const contract = 'preload/contract';
/** The files of the contract that import nothing, so that they may run anywhere. */
const contractValues = [`${contract}/result.ts`, `${contract}/bridge.ts`];

/** What a shell knows of the host. */
const hostForShells = ['createHost.ts', 'nodePorts.ts', 'ports.ts', 'refusal.ts', 'pageFiles.ts'].map((file) => `main/host/${file}`);
const shellWords = '`createHost`, `nodePorts`, `ports`, `refusal`, `pageFiles`, the contract, Node';

const pagePackages = [
  'react',
  'react-dom',
  'zustand',
  'radix-ui',
  'get-nonce',
  'lucide-react',
  'cmdk',
  'react-virtuoso',
  'jsonc-parser',
  'i18next',
  'react-i18next',
  'react-markdown',
  'remark-gfm',
  'shiki',
  'diff',
];
const pageWords = 'types and result codes of the contract, React, zustand, packages of the page';
const page = { types: [contract], node: false, packages: pagePackages };

export const importTable: readonly ImportRow[] = [
  { folder: contract, may: 'zod', never: 'anything else', project: [], node: false, packages: ['zod'] },
  {
    folder: 'preload/preload.ts',
    may: 'types and channel names of the contract, `electron`',
    never: 'Node, the host',
    project: contractValues,
    types: [contract],
    node: false,
    packages: ['electron'],
  },
  {
    folder: 'main/host',
    may: 'the contract, Node, npm packages',
    never: '`electron`, a shell, the renderer',
    project: [contract],
    node: true,
    packages: 'dependencies',
  },
  {
    folder: 'main/electron',
    may: `${shellWords}, \`electron\``,
    never: "the host's insides, another shell, the renderer",
    project: [contract, ...hostForShells],
    node: true,
    packages: ['electron', 'write-file-atomic'],
    // It puts a stdin into a utility process and then loads the server's script.
    atRunTime: ['main/electron/utilityShim.ts'],
  },
  {
    folder: 'main/web',
    may: `${shellWords}, \`ws\`, \`open\``,
    never: "`electron`, the host's insides, another shell, the renderer",
    project: [contract, ...hostForShells],
    node: true,
    packages: ['ws', 'open', 'zod'],
  },
  {
    folder: 'main/cli',
    may: `${shellWords}, \`auditOfFolder\``,
    never: "`electron`, the host's insides, another shell, the renderer",
    project: [contract, ...hostForShells, 'main/host/auditOfFolder.ts'],
    node: true,
    packages: ['zod'],
  },
  {
    folder: 'renderer/main.tsx',
    may: `all of \`renderer\`, ${pageWords}`,
    never: '`main`, `electron`, Node, zod',
    project: ['renderer', ...contractValues],
    ...page,
  },
  {
    folder: 'renderer/app',
    may: `all of \`renderer\`, ${pageWords}`,
    never: '`main`, `electron`, Node, zod',
    project: ['renderer', ...contractValues],
    ...page,
  },
  {
    folder: 'renderer/fixtures',
    may: `all of \`renderer\`, ${pageWords}`,
    never: '`main`, `electron`, Node, zod',
    project: ['renderer', ...contractValues],
    ...page,
  },
  {
    folder: 'renderer/features/*',
    may: `the folders of the next row, ${pageWords}`,
    never: 'another feature, `renderer/app`, `main`, `electron`, Node, zod',
    project: ['renderer', ...contractValues],
    except: ['renderer/features', 'renderer/app'],
    ...page,
  },
  {
    folder: 'renderer/*',
    may: `one another, ${pageWords}`,
    never: 'a feature, `renderer/app`, `main`, `electron`, Node, zod',
    project: ['renderer', ...contractValues],
    except: ['renderer/features', 'renderer/app'],
    ...page,
  },
];

/** The table of ARCHITECTURE.md, as markdown. */
export function importTableInMarkdown(): string {
  const rows = importTable.map(({ folder, may, never }) => `| \`${folder}\` | ${may} | ${never} |`);
  return ['| folder | may import | never |', '| --- | --- | --- |', ...rows].join('\n');
}
