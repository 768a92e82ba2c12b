import type { ServerConfig } from '../../../preload/contract/servers.ts';

/**
 * Such a server has no views: a browser looks up the name of a host before it refuses to go there, and so a page tells names, whatever its
 * policy says. What is held to a list of hosts must not have that way out.
 */
export const isHeldToHosts = (config: ServerConfig | undefined): boolean =>
  config !== undefined && 'sandbox' in config && config.sandbox === 'strict';
