import { accountContent, each, reads, writes } from './effects.ts';
import type { Listing } from './listing.ts';

export const slackProfiles: readonly Listing[] = [
  {
    // Read from its code and its tools/list.
    npm: '@modelcontextprotocol/server-slack',
    images: ['mcp/slack'],
    versions: ['2025.4.25', '2025.4.25'],
    profile: {
      readOnlyForm: 'In Slack, give its app no scope that ends in :write.',
      results: accountContent,
      tools: {
        ...each(reads, 'slack_list_channels slack_get_channel_history slack_get_thread_replies slack_get_users slack_get_user_profile'),
        ...each(writes('/channel_id'), 'slack_post_message slack_reply_to_thread slack_add_reaction'),
      },
    },
  },
];
