import type { ServerProfile } from '../toolProfile.ts';

/** A server that somebody has read, and by what a configuration names it. */
export interface Listing {
  /** Packages and images under which exactly this server is distributed. */
  npm?: string;
  pypi?: string;
  images?: readonly string[];
  /** Hosts at which its makers run it. What runs there has no version: the list is that of their documentation. */
  hosts?: readonly string[];
  /** First and last version whose tools were read. */
  versions?: readonly [first: string, last: string];
  profile: ServerProfile;
}
