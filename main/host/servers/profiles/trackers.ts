import type { ServerProfile } from '../toolProfile.ts';
import { accountContent, anything, asks, each, reads, removes, writes } from './effects.ts';
import type { Listing } from './listing.ts';

/** From its documentation (linear.app/docs/mcp, 2026): it runs at its makers only. */
const linear: ServerProfile = {
  results: accountContent,
  tools: {
    ...each(
      reads,
      `list_comments list_cycles get_document list_documents get_issue list_issues list_my_issues list_issue_statuses get_issue_status
       list_issue_labels list_projects get_project list_project_labels list_teams get_team list_users get_user list_milestones get_milestone
       get_attachment search_documentation`,
    ),
    ...each(writes('/issueId', '/issue'), 'create_comment save_comment create_attachment'),
    ...each(writes('/team', '/teamId'), 'create_issue update_issue save_issue create_issue_label'),
    ...each(
      writes('/project'),
      'create_project update_project save_project create_document update_document save_document create_milestone update_milestone save_milestone',
    ),
    ...each(removes, 'delete_comment delete_attachment'),
  },
};

/** Read from the tool definitions of github.com/getsentry/sentry-mcp at 4a109327 (0.37.0). Errors are sent by whoever uses the program that reports them. */
const sentry: ServerProfile = {
  readOnlyForm: 'When you sign in, or make its token, grant no scope that ends in :write or :admin.',
  results: accountContent,
  tools: {
    ...each(
      reads,
      `find_alert_rules find_dashboards find_dsns find_monitors find_organizations find_projects find_releases find_teams find_uptime_monitors
       get_ai_conversation_details get_alert_rule get_dashboard_details get_doc get_event_attachment get_event_stacktrace get_issue_activity
       get_issue_breadcrumbs get_issue_details get_issue_tag_values get_issue_user_reports get_latest_base_snapshot get_monitor_details
       get_profile get_profile_details get_release_details get_replay_details get_sentry_resource get_snapshot get_snapshot_image
       get_span_details get_trace_details get_uptime_monitor_details search_ai_conversations search_events search_issue_events search_issues
       search_sentry_tools whoami`,
    ),
    search_docs: asks('/query'),
    ...each(
      writes('/organizationSlug'),
      `add_issue_note add_team_to_project create_dsn create_project create_team onboarding_status_update update_dsn update_issue
       update_project`,
    ),
    // Sentry calls the address that they are given, with the headers and the body that they are given.
    ...each(writes('/organizationSlug', '/url'), 'create_uptime_monitor update_uptime_monitor'),
    // A model of Sentry's reads the issue and the instruction.
    analyze_issue_with_seer: writes('/organizationSlug', '/instruction'),
    ...each(removes, 'remove_team_from_project delete_uptime_monitor'),
    // Runs any of its other tools.
    execute_sentry_tool: anything,
  },
};

export const trackerProfiles: readonly Listing[] = [
  { hosts: ['mcp.linear.app'], profile: linear },
  { npm: '@sentry/mcp-server', hosts: ['mcp.sentry.dev'], versions: ['0.37.0', '0.37.0'], profile: sentry },
];
