import type { ServerDetails } from '../../../preload/contract/servers.ts';
import type { PickedResource } from '../../state/attachments.ts';
import { matchesWords } from '../../text/matchesWords.ts';

export type Template = NonNullable<ServerDetails['templates']>[number];

/** Something that can be attached: a resource as it is, or a template that wants a few values first. */
export type ResourceChoice =
  | { kind: 'resource'; resource: PickedResource; facts: string; icon: string | undefined }
  | { kind: 'template'; server: ServerDetails['server']; template: Template };

/** More than this nobody reads: a few letters more find the rest. */
const mostChoices = 60;

/** What of all that is offered fits the query, in the order of the servers; of one server the resources come first. */
export function resourceChoices(offered: readonly ServerDetails[], query: string): ResourceChoice[] {
  return offered
    .flatMap(({ server, resources, templates = [] }) => [
      ...resources
        .filter((resource) => matchesWords(query, [resource.title ?? '', resource.name, resource.uri, server.name]))
        .map((resource): ResourceChoice => {
          const title = resource.title ?? resource.name;
          const picked = { serverId: server.id, serverName: server.name, uri: resource.uri, title };
          return { kind: 'resource', resource: picked, facts: resource.description ?? resource.uri, icon: resource.icon };
        }),
      ...templates
        .filter(
          (template) =>
            template.problem === undefined && matchesWords(query, [template.title ?? '', template.name, template.uriTemplate, server.name]),
        )
        .map((template): ResourceChoice => ({ kind: 'template', server, template })),
    ])
    .slice(0, mostChoices);
}
