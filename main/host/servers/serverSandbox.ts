import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Server, ServerConfig, ServerDetails, ServerFailure } from '../../../preload/contract/servers.ts';
import { getClientFeatures } from '../store/clientFeatures.ts';
import { demandsSandbox, type Managed, sandboxOf } from '../policy/managedPolicy.ts';
import type { Db } from '../store/database.ts';
import { nodeScriptOf } from './bundles/bundleStart.ts';
import { type Confinement, obstacleSentence, type Sandbox, type SandboxObstacles } from './sandbox.ts';
import { confinementOf, sandboxWordOf } from './sandboxChoice.ts';
import { isInside } from './sandboxRules.ts';
import type { Folders } from './folders.ts';
import type { TargetDeps } from './target.ts';

/** The walls around one configured server: what its entry says of them, and what came of that at the last start. */
export interface ServerSandbox {
  /** Undefined where nothing holds it. */
  confinement(config: ServerConfig): Omit<Confinement, 'own'> | undefined;
  view(config: ServerConfig | undefined): Server['sandbox'];
  lists(config: ServerConfig | undefined): ServerDetails['sandbox'];
  walls(config: ServerConfig): TargetDeps['walls'];
  /** As what a failed start is shown: a server that was confined may have failed because of that. */
  failure(config: ServerConfig | undefined, failure: ServerFailure): ServerFailure;
  warnings(config: ServerConfig | undefined): string[];
}

/** Failures of a start that walls can be the reason of. */
const perhapsByWalls: readonly ServerFailure['code'][] = ['exitedAtStart', 'noAnswer', 'crashLoop'];
const names = { protected: 'Protected', strict: 'Strict' };

export function createServerSandbox(
  id: ServerId,
  deps: { db: Db; managed: Managed; sandbox: Sandbox; nodeProgram: string | undefined; folders: Folders; hasNode(): boolean },
): ServerSandbox {
  /** Folders that it may write to since its last start. */
  let given: readonly string[] | undefined;
  /** The walls could not be built. */
  let refused = false;

  const obstacles = (config: ServerConfig): SandboxObstacles => {
    if (deps.nodeProgram !== undefined || 'url' in config) return deps.sandbox.obstacles();
    if ('bundled' in config) return { protected: 'inside', strict: 'inside' };
    return nodeScriptOf(config) && !deps.hasNode() ? { protected: 'node', strict: 'node' } : deps.sandbox.obstacles();
  };

  const told = (): string[] => {
    const { folders, foldersChosen } = getClientFeatures(deps.db, id);
    return foldersChosen ? folders : [];
  };

  const confinement = (config: ServerConfig): Omit<Confinement, 'own'> | undefined =>
    confinementOf(sandboxOf(deps.managed, config), told(), obstacles(config));

  return {
    confinement,

    view(config) {
      const word = config && sandboxWordOf(sandboxOf(deps.managed, config), obstacles(config));
      return config && word && { word, obstacles: obstacles(config), ...(demandsSandbox(deps.managed) && { managed: true as const }) };
    },

    lists(config) {
      if (!config || !('command' in config)) return undefined;
      const writable = (config.writable ?? []).map((path) => ({ id: deps.folders.idOf(path), path }));
      return { network: config.network ?? [], writable, told: told() };
    },

    walls(config) {
      const held = confinement(config);
      given = held?.folders;
      refused = false;
      if (!held) return undefined;
      return {
        variables: deps.sandbox.variables(id),
        async confine(program, own, readable) {
          refused = true;
          const start = await deps.sandbox.confine(id, program, { ...held, own, readable });
          refused = false;
          return start;
        },
      };
    },

    failure(config, failure) {
      const held = config && confinement(config);
      if (!held || (!refused && !perhapsByWalls.includes(failure.code))) return failure;
      const reason = refused
        ? 'Mend that, or start it without protection.'
        : `It was held to ${names[held.word]}, which may be why: look for what it may not read or write, give it the folders${held.word === 'strict' ? ' and hosts' : ''} it needs, or try it without protection.`;
      return { ...failure, message: `${failure.message} ${reason}`, sandbox: held.word };
    },

    warnings(config) {
      const held = config && confinement(config);
      const later = given && held?.folders.filter((folder) => !given?.some((outer) => isInside(folder, outer)));
      if (!later || later.length === 0) return [];
      return [`It may write to ${later.join(', ')} from its next start on. Restart it.`];
    },
  };
}

/** Refuses nothing; a sentence when this word cannot be had for this server. */
export function whyNot(word: 'protected' | 'strict', view: Server['sandbox']): string | undefined {
  const obstacle = view?.obstacles[word];
  return obstacle && obstacleSentence(obstacle);
}
