/** An old server that ends when the first message is not `initialize`. */
import { serveLegacy } from './rawStdio.ts';
import { recordStart } from './startRecord.ts';

recordStart();
serveLegacy({
  'server/discover': () => {
    process.stderr.write('Error: ExpectedInitializeRequest(Some(JsonRpcRequest))\n');
    process.exitCode = 1;
    process.exit();
  },
});
