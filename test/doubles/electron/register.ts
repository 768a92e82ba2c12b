/** First file of the application's process: every way to `electron` leads to the double. */
import { registerHooks } from 'node:module';

const double = new URL('./electron.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier === 'electron/main' ? { url: double, shortCircuit: true } : next(specifier, context),
});
Object.defineProperty(process, 'type', { value: 'browser' });
Object.defineProperty(process.versions, 'electron', { value: '45.5.0' });
