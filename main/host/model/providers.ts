import type { Provider } from '../../../preload/contract/models.ts';
import type { Model } from './model.ts';

/** Every place that models come from: built in, found on this computer, reached with a key. */
export interface Providers {
  list(): Provider[];
  /** The model behind a ModelRef. Refuses with `modelUnavailable` and a sentence (key missing, unknown provider, script not allowed). */
  resolve(ref: string): Model;
  /** Fetches one provider's model list again; failures end in its status. */
  refresh(providerId: string): Promise<void>;
  add(name: string, baseUrl: string): Promise<string>;
  remove(providerId: string): void;
  /** Call after a key was set or removed. */
  keyChanged(providerId: string): void;
  /** Looks for Ollama and LM Studio on their usual ports and fetches the lists of providers with keys; returns at once. */
  discover(): void;
  close(): void;
}
