import type { ServerProfile } from '../toolProfile.ts';

/** Only paths that stood in the arguments, and the names of allowed folders in an error. */
const echo = { untrusted: false, private: true };
const reads = (...paths: string[]) => ({ effects: ['reads'], paths }) as const;

/** Read from the code of @modelcontextprotocol/server-filesystem 2026.8.31. What lies in a folder may have come from anywhere: a download, a clone. */
export const filesystem: ServerProfile = {
  results: { untrusted: true, private: true },
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
