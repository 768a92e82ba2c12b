import type { BundledServerConfig } from '../../../preload/contract/servers.ts';
import type { Effect } from '../../../preload/contract/policy.ts';

type Profile = Readonly<Record<string, readonly Effect[]>>;

const reads: readonly Effect[] = ['reads'];
const changes: readonly Effect[] = ['changes'];
const deletes: readonly Effect[] = ['deletes'];

/**
 * What the tools of the bundled packages do, read from their code at the versions that package.json pins. A tool that a
 * newer version adds is not listed and so counts as not reviewed.
 */
const profiles: Readonly<Record<BundledServerConfig['bundled'], Profile>> = {
  files: {
    read_file: reads,
    read_text_file: reads,
    read_media_file: reads,
    read_multiple_files: reads,
    list_directory: reads,
    list_directory_with_sizes: reads,
    directory_tree: reads,
    search_files: reads,
    get_file_info: reads,
    list_allowed_directories: reads,
    write_file: changes,
    edit_file: changes,
    create_directory: changes,
    // Not a deletion: it refuses a destination that exists, so nothing is lost and it can be moved back.
    move_file: changes,
  },
  memory: {
    read_graph: reads,
    search_nodes: reads,
    open_nodes: reads,
    create_entities: changes,
    create_relations: changes,
    add_observations: changes,
    delete_entities: deletes,
    delete_observations: deletes,
    delete_relations: deletes,
  },
  everything: {
    echo: reads,
    'get-annotated-message': reads,
    'get-env': reads,
    'get-resource-links': reads,
    'get-resource-reference': reads,
    'get-roots-list': reads,
    'get-structured-content': reads,
    'get-sum': reads,
    'get-tiny-image': reads,
    'trigger-long-running-operation': reads,
    'simulate-research-query': reads,
    'toggle-simulated-logging': changes,
    'toggle-subscriber-updates': changes,
    // Fetches the address that stands in the arguments.
    'gzip-file-as-resource': ['reads', 'sendsOut'],
    // Text of the arguments goes to a model, a form or a page of the server.
    'trigger-sampling-request': ['sendsOut'],
    'trigger-sampling-request-async': ['sendsOut'],
    'trigger-elicitation-request': ['reads'],
    'trigger-elicitation-request-async': ['reads'],
    'trigger-url-elicitation': ['sendsOut'],
  },
};

/** Undefined for a tool that the profile does not know. Only for servers started as bundled: what a server calls itself proves nothing. */
export function profileEffects(bundled: BundledServerConfig['bundled'], tool: string): Effect[] | undefined {
  const profile = profiles[bundled];
  return Object.hasOwn(profile, tool) ? [...(profile[tool] ?? [])] : undefined;
}
