/** First file of a utility process: the parent port over Node's own channel, and no way to what a utility process lacks. */
import { EventEmitter } from 'node:events';
import { refuseExecPath } from './execPath.ts';

const parentPort = Object.assign(new EventEmitter(), {
  postMessage(message: unknown) {
    process.send?.(message);
  },
});
const early: unknown[] = [];
const forward = (data: unknown): void => {
  if (!parentPort.emit('message', { data, ports: [] })) early.push(data);
};
// Only a listener of the port keeps the process alive, so Node's own counting of listeners is overruled.
process.on('message', forward);
process.on('disconnect', () => process.exit(0));
process.channel?.unref();
parentPort.on('newListener', (name) => {
  if (name !== 'message') return;
  process.channel?.ref();
  queueMicrotask(() => early.splice(0).forEach(forward));
});
parentPort.on('removeListener', (name) => {
  if (name === 'message' && parentPort.listenerCount('message') === 0) process.channel?.unref();
});
Object.defineProperty(process, 'parentPort', { value: parentPort });
Object.defineProperty(process, 'type', { value: 'utility' });
Object.defineProperty(process, 'stdin', {
  configurable: true,
  get() {
    throw new Error('double: a utility process has no stdin.');
  },
});
refuseExecPath();
