import { accountContent, each, reads, removes, writes } from './effects.ts';
import type { Listing } from './listing.ts';

const recipients = ['/to/*', '/cc/*', '/bcc/*'] as const;

export const googleProfiles: readonly Listing[] = [
  {
    // Read from its code: it asks for drive.readonly alone, and gives the files themselves as resources.
    npm: '@modelcontextprotocol/server-gdrive',
    images: ['mcp/gdrive'],
    versions: ['2025.1.14', '2025.1.14'],
    profile: { readOnlyForm: 'It can only read.', results: accountContent, tools: { search: reads } },
  },
  {
    // Read from its code.
    npm: '@gongrzhe/server-gmail-autoauth-mcp',
    images: ['mcp/gmail-mcp'],
    versions: ['1.1.11', '1.1.11'],
    profile: {
      results: accountContent,
      tools: {
        ...each(reads, 'read_email search_emails list_email_labels list_filters get_filter'),
        send_email: { effects: ['sendsOut'], destinations: recipients, paths: ['/attachments/*'] },
        draft_email: { ...writes(...recipients), paths: ['/attachments/*'] },
        ...each(writes(), 'modify_email batch_modify_emails create_label update_label get_or_create_label create_filter_from_template'),
        // Can forward what comes in from then on.
        create_filter: writes('/action/forward'),
        ...each(removes, 'delete_email batch_delete_emails delete_label delete_filter'),
        download_attachment: { effects: ['reads', 'changes'], paths: ['/savePath'] },
      },
    },
  },
];
