import { first } from './001_first.ts';
import { tasks } from './002_tasks.ts';
import { clientFeatures } from './003_client_features.ts';
import { trust } from './004_trust.ts';
import { audit } from './005_audit.ts';
import { traceIds } from './006_trace_ids.ts';
import { serverIcons } from './007_server_icons.ts';
import { labels } from './008_labels.ts';
import { definitionChoices } from './009_definition_choices.ts';
import { sampling } from './010_sampling.ts';
import { modelGuard } from './011_model_guard.ts';
import { labelSources } from './012_label_sources.ts';
import { views } from './013_views.ts';

/** Every migration, oldest first: the one at index n brings the database to `user_version` n + 1. Never edit a released one. */
export const migrations: readonly string[] = [
  first,
  tasks,
  clientFeatures,
  trust,
  audit,
  traceIds,
  serverIcons,
  labels,
  definitionChoices,
  sampling,
  modelGuard,
  labelSources,
  views,
];
