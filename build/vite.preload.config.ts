import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const inRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The preload: one CommonJS file, since a sandboxed preload can load neither modules nor a second file. */
export default defineConfig({
  root: inRoot('.'),
  publicDir: false,
  build: {
    outDir: inRoot('dist/preload'),
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    reportCompressedSize: false,
    lib: { entry: inRoot('preload/preload.ts'), formats: ['cjs'], fileName: () => 'preload.cjs' },
    rolldownOptions: { external: ['electron'], output: { codeSplitting: false } },
  },
});
