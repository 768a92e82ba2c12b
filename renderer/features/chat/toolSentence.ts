import { argumentRows } from '../../text/argumentRows.ts';

/** What a tool does, in three tenses, from the words of its name. `target` is the argument that says to what, as it was sent. */
export interface ToolSentence {
  base: string;
  doing: string;
  done: string;
  target?: string;
}

/** Verbs that tools are named with: base, present, past. Others are "used". */
const verbs: Readonly<Record<string, readonly [string, string]>> = {
  add: ['Adding', 'Added'],
  analyze: ['Analyzing', 'Analyzed'],
  append: ['Appending', 'Appended'],
  ask: ['Asking', 'Asked'],
  browse: ['Browsing', 'Browsed'],
  calculate: ['Calculating', 'Calculated'],
  check: ['Checking', 'Checked'],
  close: ['Closing', 'Closed'],
  compare: ['Comparing', 'Compared'],
  convert: ['Converting', 'Converted'],
  copy: ['Copying', 'Copied'],
  count: ['Counting', 'Counted'],
  create: ['Creating', 'Created'],
  delete: ['Deleting', 'Deleted'],
  describe: ['Describing', 'Described'],
  download: ['Downloading', 'Downloaded'],
  edit: ['Editing', 'Edited'],
  execute: ['Executing', 'Executed'],
  fetch: ['Fetching', 'Fetched'],
  find: ['Finding', 'Found'],
  get: ['Getting', 'Got'],
  insert: ['Inserting', 'Inserted'],
  list: ['Listing', 'Listed'],
  load: ['Loading', 'Loaded'],
  merge: ['Merging', 'Merged'],
  move: ['Moving', 'Moved'],
  open: ['Opening', 'Opened'],
  post: ['Posting', 'Posted'],
  query: ['Querying', 'Queried'],
  read: ['Reading', 'Read'],
  remove: ['Removing', 'Removed'],
  rename: ['Renaming', 'Renamed'],
  run: ['Running', 'Ran'],
  save: ['Saving', 'Saved'],
  search: ['Searching', 'Searched'],
  send: ['Sending', 'Sent'],
  set: ['Setting', 'Set'],
  show: ['Showing', 'Showed'],
  start: ['Starting', 'Started'],
  stop: ['Stopping', 'Stopped'],
  summarize: ['Summarizing', 'Summarized'],
  translate: ['Translating', 'Translated'],
  update: ['Updating', 'Updated'],
  upload: ['Uploading', 'Uploaded'],
  write: ['Writing', 'Wrote'],
};

/** Arguments that name what a call is about, the likeliest first. */
const targets = [
  'path',
  'file',
  'file_path',
  'filename',
  'source',
  'uri',
  'url',
  'query',
  'q',
  'pattern',
  'name',
  'title',
  'id',
  'city',
  'message',
  'text',
];
const longestTarget = 120;

function targetOf(argumentsJson: string): string | undefined {
  const rows = argumentRows(argumentsJson);
  for (const name of targets) {
    const row = rows.find((each) => each.name === name && each.kind === 'string' && each.value !== '');
    if (row !== undefined) return row.value.split('\n', 1)[0]?.slice(0, longestTarget);
  }
  return undefined;
}

/**
 * A line for a call. Only the words of the tool's own name and its arguments are used, never its description; where the first
 * word is no known verb (or the language is not English) the sentence says that the tool is used.
 */
export function toolSentence(
  tool: string,
  argumentsJson: string,
  language: string,
  use: { base(tool: string): string; doing(tool: string): string; done(tool: string): string },
): ToolSentence {
  const target = targetOf(argumentsJson);
  const withTarget = target === undefined ? {} : { target };
  const words = tool
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.toLowerCase());
  const [first, ...rest] = words;
  const verb = first === undefined || !language.startsWith('en') || !Object.hasOwn(verbs, first) ? undefined : verbs[first];
  if (first === undefined || verb === undefined)
    return { base: use.base(tool), doing: use.doing(tool), done: use.done(tool), ...withTarget };
  const what = rest.length === 0 ? '' : ` ${rest.join(' ')}`;
  return { base: first + what, doing: verb[0] + what, done: verb[1] + what, ...withTarget };
}
