import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const inRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * Electron's main process and the files it starts. Packages stay outside: native modules cannot be bundled, and what
 * is not bundled is what the lockfile names. Chunks lie beside `worker.js`, where the worker pool looks for it.
 */
export default defineConfig({
  root: inRoot('.'),
  publicDir: false,
  build: {
    ssr: true,
    outDir: inRoot('dist/main'),
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        electron: inRoot('main/electron/main.ts'),
        utilityShim: inRoot('main/electron/utilityShim.ts'),
        worker: inRoot('main/host/workers/worker.ts'),
      },
      external: (id) => !id.startsWith('.') && !id.startsWith('\0') && !isAbsolute(id),
      output: { format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunk-[name]-[hash].js' },
    },
  },
});
