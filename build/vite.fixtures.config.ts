import { fileURLToPath } from 'node:url';
import { mergeConfig } from 'vite';
import renderer from './vite.renderer.config.ts';

/** Every component in every state, over a bridge without a host: for the tests and for looking at, never in the package. */
export default mergeConfig(renderer, {
  build: {
    outDir: fileURLToPath(new URL('../dist/fixtures', import.meta.url)),
    rollupOptions: { input: fileURLToPath(new URL('../renderer/fixtures.html', import.meta.url)) },
  },
});
