/** A legacy server whose list of tools is a line that never ends. */
import { serveLegacy } from './rawStdio.ts';

serveLegacy({
  'tools/list': () => {
    const piece = Buffer.alloc(1_048_576, 'x');
    const more = (): void => {
      while (process.stdout.write(piece));
      process.stdout.once('drain', more);
    };
    more();
  },
});
