import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = new URL('..', import.meta.url);

/**
 * The window's page, one build for every shell. The Content Security Policy allows scripts, workers and styles from files of the page's own
 * origin only: nothing may be inlined into the HTML or into `data:` URLs, and every address is relative, since `app://` and
 * http://127.0.0.1 serve the same files.
 */
export default defineConfig({
  root: fileURLToPath(new URL('renderer', root)),
  base: './',
  publicDir: false,
  plugins: [react(), tailwind()],
  resolve: {
    alias: {
      // Its edition for browsers has the browser decode `&lt;` by setting innerHTML, which the page's policy forbids: a text with an entity
      // in it could not be drawn. The other one looks it up in a table.
      'decode-named-character-reference': fileURLToPath(new URL('node_modules/decode-named-character-reference/index.js', root)),
    },
  },
  build: {
    outDir: fileURLToPath(new URL('dist/renderer', root)),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Grammars and themes of the highlighter are separate files that load when a code block needs them; one of them is large by nature.
    chunkSizeWarningLimit: 1500,
  },
  worker: { format: 'es' },
});
