import type { Provider } from '../../../preload/contract/models.ts';

/** A key under `models.status`: what a provider needs or is doing. A failure says its own sentence. */
export const providerWords = (provider: Provider): { key: 'ready' | 'loading' | 'unknown' | 'needsKey' } => {
  if (provider.key === 'missing') return { key: 'needsKey' };
  if (provider.status.state === 'loading') return { key: 'loading' };
  if (provider.models.length > 0 || provider.status.state === 'ready') return { key: 'ready' };
  return { key: 'unknown' };
};

export const providerLook = (provider: Provider): 'good' | 'busy' | 'bad' | 'off' => {
  if (provider.key === 'missing') return 'off';
  switch (provider.status.state) {
    case 'ready':
      return 'good';
    case 'loading':
      return 'busy';
    case 'unknown':
      return provider.models.length > 0 ? 'good' : 'off';
    case 'failed':
      // Nobody expects a model server to run on every computer.
      return provider.kind === 'local' && !provider.custom && provider.models.length === 0 ? 'off' : 'bad';
  }
};
