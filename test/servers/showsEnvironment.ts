/** Tells its whole environment in its instructions. */
import { initializeResult, reply, serveLegacy } from './rawStdio.ts';

serveLegacy({
  initialize: (message) => reply(message, { ...initializeResult(), instructions: JSON.stringify(process.env) }),
});
