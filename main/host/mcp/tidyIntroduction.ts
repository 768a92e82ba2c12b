import { isRecord } from './rawResults.ts';

/** Members of capabilities that are yes or no. */
const flags = ['listChanged', 'subscribe'];
/** Capabilities that hold what nobody here has named. */
const open = ['experimental', 'extensions'];
const texts = ['title', 'description', 'websiteUrl'];

/**
 * What a server says of itself (the results of `initialize` and of `server/discover`), with what the client could not bear left out or made good: it
 * checks them as a whole, and a single null would cost the connection. `problems` are parts of sentences, such as "capabilities.prompts is no
 * object". What is needed to speak with it, the revisions and that there are capabilities at all, stays as it came. Pure.
 */
export function tidyIntroduction(result: Record<string, unknown>): { result: Record<string, unknown>; problems: string[] } {
  const problems: string[] = [];
  const tidy = { ...result };
  const { capabilities, instructions, serverInfo, _meta: meta } = result;

  if (isRecord(capabilities)) tidy['capabilities'] = tidyCapabilities(capabilities, problems);
  if (instructions !== undefined && typeof instructions !== 'string') {
    delete tidy['instructions'];
    problems.push('instructions is no text');
  }
  if (meta !== undefined && !isRecord(meta)) {
    delete tidy['_meta'];
    problems.push('_meta is no object');
  }
  // In 2026-07-28 it stands in `_meta`, where nobody checks it.
  if (serverInfo !== undefined || 'protocolVersion' in result) tidy['serverInfo'] = tidyInfo(serverInfo, problems);
  return { result: tidy, problems };
}

function tidyCapabilities(capabilities: Record<string, unknown>, problems: string[]): Record<string, unknown> {
  const tidy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(capabilities)) {
    const place = `capabilities.${name.slice(0, 80)}`;
    if (!isRecord(value)) {
      problems.push(`${place} is no object`);
      // What is meant is clear: it has them.
      if (value === true) tidy[name] = {};
    } else if (name === 'tasks' && !isTasks(value)) problems.push(`${place} is not as the protocol has it`);
    else {
      const kept = Object.entries(value).filter(([key, member]) => {
        const fits = flags.includes(key) ? typeof member === 'boolean' : open.includes(name) ? isRecord(member) : true;
        if (!fits) problems.push(`${place}.${key.slice(0, 80)} is ${flags.includes(key) ? 'neither true nor false' : 'no object'}`);
        return fits;
      });
      tidy[name] = Object.fromEntries(kept);
    }
  }
  return tidy;
}

const isRecordOrAbsent = (value: unknown): boolean => value === undefined || isRecord(value);

function isTasks({ list, cancel, requests }: Record<string, unknown>): boolean {
  if (![list, cancel, requests].every(isRecordOrAbsent)) return false;
  return Object.values(isRecord(requests) ? requests : {}).every((kind) => isRecord(kind) && Object.values(kind).every(isRecord));
}

function tidyInfo(info: unknown, problems: string[]): Record<string, unknown> {
  if (!isRecord(info)) {
    problems.push('serverInfo is no object');
    return { name: '', version: '' };
  }
  const tidy = { ...info };
  for (const key of ['name', 'version'])
    if (typeof tidy[key] !== 'string') {
      tidy[key] = '';
      problems.push(`serverInfo.${key} is no text`);
    }
  for (const key of texts)
    if (tidy[key] !== undefined && typeof tidy[key] !== 'string') {
      delete tidy[key];
      problems.push(`serverInfo.${key} is no text`);
    }
  return tidy;
}
