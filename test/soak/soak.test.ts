import { test } from 'vitest';
import { fuzzBridge } from './bridge.ts';
import { killOnce } from './kills.ts';
import { fuzzServer } from './oddServer.ts';
import { createRandom } from './random.ts';

test.for([1, 2])(
  'a host that is killed at a random moment leaves what can be taken up again, and nothing is done twice (seed %i)',
  (seed) => killOnce(createRandom(seed)),
);

test('whatever comes over the bridge is answered by a value or a refusal, and the host goes on', () => fuzzBridge(20_261_130, 150));

test('whatever a server says, its connection fails in words or serves, and every call has an outcome', () => fuzzServer(20_261_130, 150));
