import type { ServerId } from '../../../preload/contract/ids.ts';
import type { ServerConfig } from '../../../preload/contract/servers.ts';
import type { Db } from '../store/database.ts';
import { showsViews } from '../store/views.ts';

/** Whether views of a server may be shown, in a shell that can. `config`: as it is written; undefined where it cannot be read. */
export const mayShowViews = (db: Db, id: ServerId, config: ServerConfig | undefined): boolean =>
  showsViews(db, id) && !isHeldToHosts(config);

/**
 * Such a server has no views: a browser looks up the name of a host before it refuses to go there, and so a page tells names, whatever its
 * policy says. What is held to a list of hosts must not have that way out.
 */
const isHeldToHosts = (config: ServerConfig | undefined): boolean =>
  config !== undefined && 'sandbox' in config && config.sandbox === 'strict';
