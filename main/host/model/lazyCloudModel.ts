import type { CloudModelOptions } from './cloudModel.ts';
import type { Model } from './model.ts';
import { limitsOf } from './providerPresets.ts';

/** A model of a provider's API. The SDK behind it is loaded with the first request: it would be a third of the host's start. */
export function lazyCloudModel(options: CloudModelOptions): Model {
  return {
    ref: options.ref,
    provider: options.providerId,
    limits: limitsOf(options.api, options.modelName, options.known),
    leavesComputer: !options.local,
    async *stream(request) {
      const { createCloudModel } = await import('./cloudModel.ts');
      yield* createCloudModel(options).stream(request);
    },
  };
}
