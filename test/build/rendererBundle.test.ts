import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, parseSync, Visitor, type ESTree, type InlineConfig, type Rolldown } from 'vite';
import { expect, test } from 'vitest';
import { root, temporaryFolder, writeFiles } from './project.ts';

interface Bundle {
  /** Ids of all modules that went in, also those that left no code behind. */
  modules: string[];
  files: (Rolldown.OutputChunk | Rolldown.OutputAsset)[];
}

/** Builds without writing anything. */
async function bundle(config: InlineConfig): Promise<Bundle> {
  const modules: string[] = [];
  const result = await build({
    ...config,
    logLevel: 'error',
    build: { write: false },
    plugins: [
      {
        name: 'module-ids',
        generateBundle() {
          modules.push(...this.getModuleIds());
        },
      },
    ],
  });
  const outputs = [result].flat();
  return { modules, files: outputs.flatMap((output) => ('output' in output ? output.output : [])) };
}

/** What a page in a sandbox under our Content Security Policy must not hold, a line each. */
function violationsOf({ modules, files }: Bundle): string[] {
  const foreign = modules.filter(
    (id) => /__vite-browser-external|^node:|\/node_modules\/(zod|electron)\//.test(id) || id.startsWith(join(root, 'main')),
  );
  return [...foreign, ...files.flatMap((file) => (file.type === 'chunk' ? evaluatedText(file.fileName, file.code) : []))];
}

/** Places where text becomes code: `eval(…)`, `Function(…)`, `new Function(…)`. */
function evaluatedText(fileName: string, code: string): string[] {
  const found: string[] = [];
  const look = (node: ESTree.CallExpression | ESTree.NewExpression): void => {
    if (node.callee.type === 'Identifier' && (node.callee.name === 'eval' || node.callee.name === 'Function')) {
      found.push(`${fileName}: ${code.slice(node.start, node.end)}`);
    }
  };
  new Visitor({ CallExpression: look, NewExpression: look }).visit(parseSync(fileName, code).program);
  return found;
}

test(
  'The page holds no Node builtin, no zod, nothing of the main process, and makes no code from text.',
  { timeout: 120_000 },
  async () => {
    const made = await bundle({ configFile: join(root, 'build/vite.renderer.config.ts') });
    expect(made.modules).toContain(join(root, 'renderer/main.tsx'));
    expect(violationsOf(made)).toEqual([]);
  },
);

test('The document loads scripts and styles from files with relative addresses and holds none itself.', () => {
  const html = readFileSync(join(root, 'dist/renderer/index.html'), 'utf8');
  const scripts = [...html.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
  expect(scripts.length).toBeGreaterThan(0);
  for (const [, attributes, text] of scripts) {
    expect(attributes).toMatch(/ src="\.\/assets\//);
    expect(text).toBe('');
  }
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|(src|href)="(\/|https?:|data:)/);
});

const forbidden: [what: string, text: string][] = [
  ['a Node builtin', "import { join } from 'node:path'; console.log(join);"],
  ['a Node builtin that leaves no code behind', "import 'fs';"],
  ['zod', "import { z } from 'zod'; console.log(z.string());"],
  ['evaluated text', "console.log(eval('1'));"],
  ['a function made from text', "console.log(new Function('return 1'));"],
];

test.each(forbidden)('A page with %s is found out.', async (_, text) => {
  const folder = temporaryFolder();
  writeFiles(folder, { 'index.html': '<script type="module" src="./main.js"></script>', 'main.js': text });
  const made = await bundle({
    configFile: false,
    root: folder,
    resolve: { alias: { zod: join(root, 'node_modules/zod') } },
  });
  expect(violationsOf(made).length).toBeGreaterThan(0);
});
