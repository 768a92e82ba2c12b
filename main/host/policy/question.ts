/** Arguments that name what a call is about, the likeliest first. */
const objects = [
  'path',
  'file_path',
  'file',
  'destination',
  'uri',
  'url',
  'to',
  'recipient',
  'repo',
  'query',
  'pattern',
  'name',
  'title',
  'id',
];
const longestObject = 80;
/** Only names that hold nothing but ordinary characters are taken into words. */
const plainName = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
/** Text that reads as it is: no control, invisible or direction-changing character. */
const plainText = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]+$/u;

/**
 * The title of a card, in our words: what the call would do, and to what. The card itself shows all arguments; a name or a
 * value that does not read as it is stays out of the title.
 */
export function questionOf(tool: string, values: Record<string, unknown>): string {
  if (!plainName.test(tool)) return 'Allow this call?';
  const words = tool
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase();
  const verb = words.charAt(0).toUpperCase() + words.slice(1);
  const object = objects
    .map((name) => values[name])
    .find((value): value is string => typeof value === 'string' && value !== '' && value.length <= longestObject && plainText.test(value));
  return object === undefined ? `${verb}?` : `${verb}: ${object}?`;
}
