import type { ServerContent as ContentView } from '../../../preload/contract/servers.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { LabelPair } from '../policy/labels.ts';
import type { Db } from '../store/database.ts';
import { type ContentWord, getContentWord } from '../store/serverContent.ts';
import type { KnownServer } from './profiles/knownServers.ts';

/** What decides the labels of a server's words (`resultLabels`). */
export interface ServerContent {
  user: ContentWord;
  profile: LabelPair | undefined;
  /** Where what it keeps is written down; see the table `remembered_labels`. */
  store: string;
}

/** As it is shown on the server's page. */
export function contentView({ user, profile }: ServerContent): ContentView {
  const label = (which: 'untrusted' | 'private'): ContentView['private'] => {
    const said = user[which];
    if (said !== undefined) return { is: said, by: 'user' };
    return profile ? { is: profile[which], by: 'profile' } : { is: true, by: 'nobody' };
  };
  return { untrusted: label('untrusted'), private: label('private') };
}

/** `tool` undefined: a resource, a prompt, anything but the result of a tool. */
export function contentOf(db: Db, id: ServerId, known: KnownServer | undefined, tool: string | undefined): ServerContent {
  const profile = known?.profile;
  const ofTool = tool !== undefined && profile && Object.hasOwn(profile.tools, tool) ? profile.tools[tool]?.results : undefined;
  return { user: getContentWord(db, id), profile: ofTool ?? profile?.results, store: known?.store ?? id };
}
