/**
 * A legacy server that answers one method with a text of one's own: `brokenMessages.ts METHOD TEXT`. In the text `$id` stands for the id of the
 * request; a line end is written behind it.
 */
import { serveLegacy } from './rawStdio.ts';

const [, , method, answer] = process.argv;
if (method === undefined || answer === undefined) throw new Error('brokenMessages.ts METHOD TEXT');

serveLegacy({ [method]: ({ id }) => void process.stdout.write(`${answer.replaceAll('$id', JSON.stringify(id))}\n`) });
