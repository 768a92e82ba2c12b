import type { ServerProfile } from '../toolProfile.ts';
import { accountContent, each, reads, removes, writes } from './effects.ts';
import type { Listing } from './listing.ts';

/** Also puts into the trash what it is told to. */
const writesOrRemoves = (...destinations: string[]) => ({ effects: ['changes', 'deletes', 'sendsOut'], destinations }) as const;

/** Read from its tools/list. */
const local: ServerProfile = {
  readOnlyForm: 'In Notion, give its integration the capability “Read content” alone.',
  results: accountContent,
  tools: {
    ...each(
      reads,
      `API-get-user API-get-users API-get-self API-post-search API-get-block-children API-retrieve-a-block API-retrieve-a-page
       API-retrieve-a-page-property API-retrieve-a-comment API-query-data-source API-retrieve-a-data-source API-list-data-source-templates
       API-retrieve-a-database API-retrieve-page-markdown`,
    ),
    'API-patch-block-children': writes('/block_id'),
    'API-post-page': writes('/parent'),
    'API-create-a-comment': writes('/parent'),
    'API-create-a-data-source': writes('/parent'),
    'API-update-a-data-source': writes('/data_source_id'),
    'API-move-page': writes('/parent'),
    'API-update-a-block': writesOrRemoves('/block_id'),
    'API-patch-page': writesOrRemoves('/page_id'),
    // Replaces what stood there.
    'API-update-page-markdown': writesOrRemoves('/page_id'),
    'API-delete-a-block': removes,
  },
};

/** From its documentation (developers.notion.com/docs/mcp-supported-tools, 2026): it runs at its makers only. */
const hosted: ServerProfile = {
  results: accountContent,
  tools: {
    ...each(
      reads,
      'notion-search notion-fetch notion-get-comments notion-get-teams notion-get-users notion-get-user notion-get-self notion-list-agents',
    ),
    ...each(writes('/parent'), 'notion-create-pages notion-create-database'),
    ...each(writes('/page_id'), 'notion-create-comment notion-duplicate-page'),
    'notion-move-pages': writes('/new_parent'),
    ...each(writesOrRemoves(), 'notion-update-page notion-update-database notion-update-data-source'),
  },
};

export const notionProfiles: readonly Listing[] = [
  { npm: '@notionhq/notion-mcp-server', images: ['mcp/notion'], versions: ['2.5.2', '2.5.2'], profile: local },
  { hosts: ['mcp.notion.com'], profile: hosted },
];
