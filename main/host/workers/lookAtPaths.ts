import { homedir } from 'node:os';
import type { Finding, PathLook } from '../../../preload/contract/policy.ts';
import { lookAtPath } from '../policy/pathLook.ts';
import type { Jobs } from './jobs.ts';

/** {@link lookAtPath} for each of them, the next one after the last. */
export async function lookAtPaths({ paths, folders, now }: Jobs['look']['input']): Promise<Jobs['look']['output']> {
  const system = { platform: process.platform, home: homedir() };
  const looks: PathLook[] = [];
  const findings: Finding[] = [];
  for (const path of paths) {
    const seen = await lookAtPath(path, folders, system, now);
    if (!seen) continue;
    looks.push(seen.look);
    findings.push(...seen.findings.slice(0, 10));
  }
  return { looks, findings };
}
