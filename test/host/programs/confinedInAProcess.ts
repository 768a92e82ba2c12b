// Holds a confined program until it is killed: `confinedInAProcess.ts DATA-FOLDER HOME WORD`. Says so when it runs.
import { ServerId } from '../../../preload/contract/ids.ts';
import { createSandbox } from '../../../main/host/servers/sandbox.ts';
import { nodePorts } from '../../../main/host/nodePorts.ts';

const [dataDir = '', home = '', word = ''] = process.argv.slice(2);
const { clock, log } = nodePorts({ dataDir, env: process.env });
const sandbox = await createSandbox({ dataDir, home, platform: process.platform, env: process.env, clock, log });
const line = `setsid sh -c 'trap "" TERM HUP; while :; do sleep 0.2; done; : ${word}' & echo runs; wait`;
const start = await sandbox.confine(
  ServerId.parse('held'),
  { command: '/bin/sh', args: ['-c', line], cwd: '/', env: { PATH: process.env['PATH'] ?? '' } },
  { word: 'protected', folders: [], own: [], network: [] },
);
start().stdout.pipe(process.stdout);
setInterval(() => undefined, 1000);
