import type { ServerProfile, ToolProfile } from '../toolProfile.ts';
import { accountContent, each, reads, removes, writes } from './effects.ts';
import type { Listing } from './listing.ts';

const place = ['/owner', '/repo'] as const;
const inRepository = writes(...place);
const removesOrWrites: ToolProfile = { effects: ['changes', 'deletes', 'sendsOut'], destinations: place };

/** Read from the stored tool schemas of github.com/github/github-mcp-server at v1.9.0. Issues and pages are written by anybody. */
const official: ServerProfile = {
  readOnlyForm:
    'Add --read-only to its arguments (in a container: -e GITHUB_READ_ONLY=1), or use the address https://api.githubcopilot.com/mcp/readonly.',
  results: accountContent,
  tools: {
    ...each(
      reads,
      `actions_get actions_list find_duplicate get_code_quality_finding get_code_scanning_alert get_commit get_dependabot_alert get_discussion
       get_discussion_comments get_file_blame get_file_contents get_gist get_global_security_advisory get_job_logs get_label get_latest_release
       get_me get_notification_details get_release_by_tag get_repository_tree get_secret_scanning_alert get_tag get_team_members get_teams
       issue_dependency_read issue_read list_branches list_code_scanning_alerts list_commits list_dependabot_alerts list_discussion_categories
       list_discussions list_gists list_global_security_advisories list_issue_fields list_issue_types list_issues list_label list_notifications
       list_org_repository_security_advisories list_pull_requests list_releases list_repository_collaborators
       list_repository_security_advisories list_secret_scanning_alerts list_starred_repositories list_tags projects_get projects_list
       pull_request_read search_code search_commits search_issues search_orgs search_pull_requests search_repositories search_users ui_get`,
    ),
    ...each(
      inRepository,
      `add_comment_to_pending_review add_issue_comment add_issue_comment_reaction add_issue_reaction add_pull_request_review_comment
       add_pull_request_review_comment_reaction add_reply_to_pull_request_comment add_sub_issue assign_copilot_to_issue
       assign_copilot_to_issue_with_intent create_branch create_issue create_or_update_file create_pull_request create_pull_request_review
       fork_repository issue_dependency_write issue_write manage_repository_notification_subscription merge_pull_request push_files
       remove_sub_issue reprioritize_sub_issue request_copilot_review request_pull_request_reviewers set_issue_fields star_repository
       sub_issue_write submit_pending_pull_request_review unstar_repository update_issue_assignees update_issue_body update_issue_labels
       update_issue_milestone update_issue_state update_issue_title update_issue_type update_pull_request update_pull_request_body
       update_pull_request_branch update_pull_request_draft_state update_pull_request_state update_pull_request_title`,
    ),
    create_repository: writes('/organization', '/name'),
    create_gist: writes('/public'),
    update_gist: writes('/gist_id'),
    ...each(
      writes(),
      'dismiss_notification manage_notification_subscription mark_all_notifications_read resolve_review_thread unresolve_review_thread',
    ),
    // One tool with methods of which some delete.
    ...each(removesOrWrites, 'actions_run_trigger discussion_comment_write label_write pull_request_review_write'),
    projects_write: { effects: ['changes', 'deletes', 'sendsOut'], destinations: ['/owner'] },
    ...each({ ...removes, destinations: place }, 'delete_file delete_pending_pull_request_review'),
  },
};

/** The first one, by the protocol's authors; no longer kept up. Read from its tools/list. */
const first: ServerProfile = {
  readOnlyForm: 'Give it a token that may only read.',
  results: accountContent,
  tools: {
    ...each(
      reads,
      `search_repositories get_file_contents list_commits list_issues search_code search_issues search_users get_issue get_pull_request
       list_pull_requests get_pull_request_files get_pull_request_status get_pull_request_comments get_pull_request_reviews`,
    ),
    ...each(
      inRepository,
      `create_or_update_file push_files create_issue create_pull_request fork_repository create_branch update_issue add_issue_comment
       create_pull_request_review merge_pull_request update_pull_request_branch`,
    ),
    create_repository: writes('/name', '/private'),
  },
};

export const githubProfiles: readonly Listing[] = [
  {
    images: ['ghcr.io/github/github-mcp-server', 'mcp/github-mcp-server'],
    versions: ['1.9.0', '1.9.0'],
    hosts: ['api.githubcopilot.com'],
    profile: official,
  },
  { npm: '@modelcontextprotocol/server-github', images: ['mcp/github'], versions: ['2025.4.8', '2025.4.8'], profile: first },
];
