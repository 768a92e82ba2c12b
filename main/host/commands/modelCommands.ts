import type { ParsedInput } from '../../../preload/contract/commands.ts';
import { providerSecret } from '../model/createProviders.ts';
import { secretOwner } from '../servers/entry.ts';
import type { CommandContext, Handlers } from './context.ts';

/** What a command answers that only does something. */
const done = {};

/** Providers of models, and secrets. */
export function modelCommands(context: CommandContext): Handlers<'provider' | 'secret'> {
  const { servers, providers, secrets } = context;

  const ownerOf = (owner: ParsedInput<'secret.set'>['owner']) =>
    owner.kind === 'provider' ? providerSecret(owner.providerId) : { owner: secretOwner(owner.serverId), name: owner.name };

  async function secretChanged(owner: ParsedInput<'secret.set'>['owner']): Promise<void> {
    if (owner.kind === 'provider') providers.keyChanged(owner.providerId);
    else await servers.secretsChanged(owner.serverId);
  }

  return {
    'provider.list': () => ({ providers: providers.list() }),
    'provider.refresh': async ({ providerId }) => {
      await providers.refresh(providerId);
      return done;
    },
    'provider.add': async ({ name, baseUrl }) => ({ providerId: await providers.add(name, baseUrl) }),
    'provider.remove': ({ providerId }) => {
      providers.remove(providerId);
      return done;
    },
    'secret.set': async ({ owner, value }) => {
      const { owner: key, name } = ownerOf(owner);
      await secrets.set(key, name, value);
      await secretChanged(owner);
      return done;
    },
    'secret.remove': async ({ owner }) => {
      const { owner: key, name } = ownerOf(owner);
      secrets.remove(key, name);
      await secretChanged(owner);
      return done;
    },
  };
}
