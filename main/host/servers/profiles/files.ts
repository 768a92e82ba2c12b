import type { ServerProfile } from '../toolProfile.ts';
import { accountContent } from './effects.ts';
import type { Listing } from './listing.ts';

/** Only paths that stood in the arguments, and the names of allowed folders in an error. */
const echo = { untrusted: false, private: true };
const reads = (...paths: string[]) => ({ effects: ['reads'], paths }) as const;

/** Read from the code of @modelcontextprotocol/server-filesystem 2026.8.31. What lies in a folder may have come from anywhere: a download, a clone. */
export const filesystem: ServerProfile = {
  readOnlyForm:
    'Run it in a container with each folder mounted read-only: docker run -i --rm --mount type=bind,src=FOLDER,dst=/projects/FOLDER,ro mcp/filesystem /projects.',
  results: accountContent,
  tools: {
    read_file: reads('/path'),
    read_text_file: reads('/path'),
    read_media_file: reads('/path'),
    read_multiple_files: reads('/paths/*'),
    list_directory: reads('/path'),
    list_directory_with_sizes: reads('/path'),
    directory_tree: reads('/path'),
    search_files: reads('/path'),
    get_file_info: reads('/path'),
    list_allowed_directories: { effects: ['reads'], results: echo },
    write_file: { effects: ['changes'], paths: ['/path'], results: echo },
    // Answers with a diff, which holds lines of the file.
    edit_file: { effects: ['changes'], paths: ['/path'] },
    create_directory: { effects: ['changes'], paths: ['/path'], results: echo },
    // Not a deletion: it refuses a destination that exists, so nothing is lost and it can be moved back.
    move_file: { effects: ['changes'], paths: ['/source', '/destination'], results: echo },
  },
};

const looks = reads('/repo_path');
const changes = { effects: ['changes'], paths: ['/repo_path'] } as const;

/**
 * Read from src/git of github.com/modelcontextprotocol/servers at 2026.7.10; the code is the same since 2026.6.16. Before, an argument
 * could be taken for a flag of git, with which a diff writes files, and what lies outside of the repository could be added. A commit runs
 * the hooks of the repository, which are programs; it is a change for that reason too.
 */
export const gitProfile: Listing = {
  pypi: 'mcp-server-git',
  images: ['mcp/git'],
  versions: ['2026.6.16', '2026.7.10'],
  profile: {
    readOnlyForm:
      'Run it in a container with the repository mounted read-only: docker run -i --rm --mount type=bind,src=FOLDER,dst=/repo,ro mcp/git.',
    results: accountContent,
    tools: {
      git_status: looks,
      git_diff_unstaged: looks,
      git_diff_staged: looks,
      git_diff: looks,
      git_log: looks,
      git_show: looks,
      git_branch: looks,
      git_add: changes,
      git_commit: changes,
      // Takes out of the index what was staged; the files stay.
      git_reset: changes,
      git_create_branch: changes,
      // Refuses where changes of the person would be lost.
      git_checkout: changes,
    },
  },
};
