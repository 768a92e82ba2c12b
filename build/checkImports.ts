import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix, sep } from 'node:path';
import { parseSync, Visitor, type ESTree } from 'vite';
import { importTable, importTableInMarkdown, type ImportRow } from './importTable.ts';

interface ImportSite {
  /** Null when it is only known at run time. */
  specifier: string | null;
  offset: number;
  /** Leaves nothing behind at run time. */
  typeOnly: boolean;
}

/**
 * Every import in the project at `root` that `importTable` does not allow, a sentence each, with file and line. Also says when ARCHITECTURE.md
 * shows another table. Throws where a file cannot be parsed.
 */
export function importViolations(root: string): string[] {
  const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = globSync(['preload/**/*.{ts,tsx}', 'main/**/*.{ts,tsx}', 'renderer/**/*.{ts,tsx}'], { cwd: root });
  const violations = files
    .map((file) => file.split(sep).join('/'))
    .sort()
    .flatMap((file) => {
      const row = rowFor(file);
      if (row === undefined) return [`${file} lies in no folder of the import table (build/importTable.ts).`];
      const source = readFileSync(join(root, file), 'utf8');
      return importsOf(file, source)
        .filter((site) => !allows(row, file, site, Object.keys(dependencies)))
        .map(({ specifier, offset, typeOnly }) => {
          const line = source.slice(0, offset).split('\n').length;
          const what = specifier === null ? 'what is only known at run time' : `${typeOnly ? 'a type of ' : ''}'${specifier}'`;
          return `${file}:${line} imports ${what}. ${row.folder} may import: ${row.may}; never: ${row.never}.`;
        });
    });
  const page = join(root, 'ARCHITECTURE.md');
  if (existsSync(page) && !readFileSync(page, 'utf8').includes(importTableInMarkdown())) {
    violations.push('ARCHITECTURE.md shows another table than build/importTable.ts: paste what `node build/printImportTable.ts` prints.');
  }
  return violations;
}

/** The most specific row; a file in `renderer/features/chat` obeys `renderer/features/*` with the star put in. */
function rowFor(file: string): ImportRow | undefined {
  const parts = file.split('/');
  return importTable
    .map((row) => ({
      ...row,
      folder: row.folder
        .split('/')
        .map((part, index) => (part === '*' ? parts[index] : part))
        .join('/'),
    }))
    .filter((row) => isWithin(file, row.folder))
    .sort((a, b) => b.folder.length - a.folder.length)[0];
}

const isWithin = (path: string, part: string): boolean => path === part || path.startsWith(`${part}/`);

function allows(row: ImportRow, file: string, { specifier, typeOnly }: ImportSite, dependencies: readonly string[]): boolean {
  if (specifier === null) return (row.atRunTime ?? []).includes(file);
  if (/^\.{1,2}\//.test(specifier)) {
    const target = posix.join(posix.dirname(file), specifier.replace(/\?.*$/, ''));
    if (isWithin(target, row.folder)) return true;
    const open = [...row.project, ...(typeOnly ? (row.types ?? []) : [])];
    return open.some((part) => isWithin(target, part)) && !(row.except ?? []).some((part) => isWithin(target, part));
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (specifier.startsWith('node:') || builtinModules.includes(name)) return row.node;
  return (row.packages === 'dependencies' ? dependencies : row.packages).includes(name);
}

function importsOf(file: string, source: string): ImportSite[] {
  const { program, errors } = parseSync(file, source);
  if (errors[0] !== undefined) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const sites: ImportSite[] = [];
  const add = (node: ESTree.Node, specifier: unknown, typeOnly: boolean): void => {
    sites.push({ specifier: typeof specifier === 'string' ? specifier : null, offset: node.start, typeOnly });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node, node.source.value, node.importKind === 'type'),
    ExportAllDeclaration: (node) => add(node, node.source.value, node.exportKind === 'type'),
    ExportNamedDeclaration: (node) => {
      if (node.source !== null) add(node, node.source.value, node.exportKind === 'type');
    },
    ImportExpression: (node) => add(node, node.source.type === 'Literal' ? node.source.value : null, false),
    TSImportType: (node) => add(node, node.source.value, true),
    CallExpression: (node) => {
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'require') return;
      const [argument] = node.arguments;
      add(node, argument?.type === 'Literal' ? argument.value : null, false);
    },
  }).visit(program);
  return sites;
}
