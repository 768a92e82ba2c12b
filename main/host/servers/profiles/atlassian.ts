import type { ServerProfile } from '../toolProfile.ts';
import { accountContent, each, reads, removes, writes } from './effects.ts';
import type { Listing } from './listing.ts';

/** Read from the code of github.com/sooperset/mcp-atlassian at v0.9.0. */
const community: ServerProfile = {
  readOnlyForm: 'Set READ_ONLY_MODE=true in its environment.',
  results: accountContent,
  tools: {
    ...each(
      reads,
      `jira_get_user_profile jira_search_assignable_users jira_get_issue_watchers jira_get_issue jira_search jira_search_fields
       jira_get_field_options jira_get_project_issues jira_get_transitions jira_get_worklog jira_download_attachments jira_get_issue_images
       jira_get_agile_boards jira_get_board_issues jira_get_sprints_from_board jira_get_sprint_issues jira_get_link_types
       jira_batch_get_changelogs jira_get_project_issue_types jira_get_create_fields jira_get_project_versions jira_get_project_components
       jira_get_all_projects jira_search_projects jira_get_project_fields jira_get_service_desk_for_project jira_get_service_desk_queues
       jira_get_queue_issues jira_get_request_types jira_get_request_type_fields jira_get_issue_proforma_forms
       jira_get_proforma_form_details jira_get_issue_dates jira_get_issue_sla jira_get_issue_development_info
       jira_get_issues_development_info jira_get_project_epic_hierarchy jira_get_cross_project_dependencies confluence_search
       confluence_get_page confluence_get_page_children confluence_get_space_page_tree confluence_get_comments confluence_get_labels
       confluence_get_inline_comments confluence_search_user confluence_get_page_history confluence_get_page_diff confluence_get_page_views
       confluence_get_attachments confluence_download_attachment confluence_download_content_attachments confluence_get_page_images
       confluence_list_page_templates confluence_get_page_template confluence_get_page_restrictions confluence_check_content_permissions
       confluence_get_space_permissions`,
    ),
    ...each(
      writes('/issue_key'),
      `jira_add_watcher jira_assign_issue jira_add_comment jira_edit_comment jira_add_worklog jira_link_to_epic jira_transition_issue
       jira_update_proforma_form_answers`,
    ),
    ...each(writes('/project_key'), 'jira_create_issue jira_create_version jira_batch_create_versions'),
    ...each(
      writes(),
      `jira_batch_create_issues jira_create_issue_link jira_create_sprint jira_update_sprint jira_add_issues_to_sprint
       jira_move_issues_to_backlog jira_update_version`,
    ),
    jira_move_issue: writes('/target_project_key'),
    jira_create_remote_issue_link: writes('/issue_key', '/url'),
    // The files that they name are read from this computer and uploaded.
    jira_update_issue: { ...writes('/issue_key'), paths: ['/attachments', '/attachments/*'] },
    jira_create_customer_request: { ...writes('/service_desk_id'), paths: ['/attachments', '/attachments/*'] },
    confluence_create_page: { ...writes('/space_key'), paths: ['/content_file'] },
    confluence_update_page: { ...writes('/page_id'), paths: ['/content_file'] },
    confluence_upload_attachment: { ...writes('/content_id'), paths: ['/file_path'] },
    confluence_upload_attachments: { ...writes('/content_id'), paths: ['/file_paths', '/file_paths/*'] },
    ...each(writes('/page_id'), 'confluence_add_label confluence_update_page_section confluence_add_comment confluence_add_inline_comment'),
    confluence_reply_to_comment: writes('/comment_id'),
    confluence_move_page: writes('/target_space_key', '/target_parent_id'),
    confluence_create_page_from_template: writes('/space_key'),
    // Who may read a page from then on.
    confluence_set_page_restrictions: writes('/read_users', '/read_groups', '/edit_users', '/edit_groups'),
    confluence_copy_page: writes('/destination_space_key'),
    ...each(removes, 'jira_remove_watcher jira_delete_issue jira_remove_issue_link confluence_delete_page confluence_delete_attachment'),
  },
};

/** From its documentation (github.com/atlassian/atlassian-mcp-server at 94a30436, and its page of supported tools): it runs at its makers only. */
const official: ServerProfile = {
  readOnlyForm: 'When you sign in, grant the groups read and search only.',
  results: accountContent,
  tools: {
    ...each(
      reads,
      `atlassianUserInfo getAccessibleAtlassianResources getJiraIssue getTransitionsForJiraIssue lookupJiraAccountId searchJiraIssuesUsingJql
       getJiraIssueRemoteIssueLinks getVisibleJiraProjects getJiraProjectIssueTypesMetadata getJiraIssueTypeMetaWithFields
       getConfluenceSpaces getConfluencePage getPagesInConfluenceSpace getConfluencePageFooterComments getConfluencePageInlineComments
       getConfluencePageDescendants searchConfluenceUsingCql`,
    ),
    ...each(writes('/cloudId', '/projectKey'), 'createJiraIssue'),
    ...each(writes('/cloudId', '/issueIdOrKey'), 'editJiraIssue transitionJiraIssue addCommentToJiraIssue addWorklogToJiraIssue'),
    ...each(writes('/cloudId', '/spaceId'), 'createConfluencePage'),
    ...each(writes('/cloudId', '/pageId'), 'updateConfluencePage createConfluenceFooterComment createConfluenceInlineComment'),
  },
};

export const atlassianProfiles: readonly Listing[] = [
  {
    pypi: 'mcp-atlassian',
    images: ['ghcr.io/sooperset/mcp-atlassian', 'mcp/atlassian'],
    versions: ['0.9.0', '0.9.0'],
    profile: community,
  },
  { hosts: ['mcp.atlassian.com'], profile: official },
];
