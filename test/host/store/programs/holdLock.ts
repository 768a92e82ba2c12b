import { takeLock } from '../../../../main/host/store/lock.ts';

// Takes the lock of the data folder that is named, says so, and holds it until it is ended.
takeLock(process.argv[2] ?? '', { pid: process.pid, shell: 'cli' });
console.log('held');
setInterval(() => {}, 60_000);
