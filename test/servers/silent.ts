/** Reads everything and never answers. */
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
process.stderr.write('waiting for a database that is not there\n');
