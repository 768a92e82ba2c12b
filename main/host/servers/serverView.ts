import type { ServerId } from '../../../preload/contract/ids.ts';
import type { BundledServerConfig, Server, ServerConfig, ServerDetails, ServerState } from '../../../preload/contract/servers.ts';
import type { ServerAuth } from '../auth/serverAuth.ts';
import type { Secrets } from '../store/secrets.ts';
import { secretsOfBundle } from './bundles/userConfig.ts';
import { configWarnings } from './configWarnings.ts';
import { type AdoptedEntry, isEnabled, kindOf, secretOwner } from './entry.ts';
import type { ServerIcons } from './icons.ts';
import type { Folders } from './folders.ts';
import { offeredDetails } from './offeredDetails.ts';
import { knownView } from './profiles/knownServers.ts';
import { viewOfTool } from '../views/viewOfTool.ts';
import { contentView, type ServerContent } from './serverContent.ts';
import type { KnownOffer } from './serverOffer.ts';
import { secretNamesIn } from './plainSecrets.ts';
import { bundleSummary, summaryOf } from './startConsent.ts';
import type { ToolEffects } from './toolEffects.ts';

export function viewOf(
  id: ServerId,
  parts: {
    entry: AdoptedEntry;
    config: ServerConfig | undefined;
    bundled: BundledServerConfig['bundled'] | undefined;
    status: ServerState;
    offered: KnownOffer | undefined;
    auth: Pick<ServerAuth, 'account' | 'signingIn'>;
    icons: Pick<ServerIcons, 'keyOf'>;
    folders: Folders;
    sandbox: Server['sandbox'];
    toReview: Server['toReview'];
    showsViews: boolean;
  },
): Server {
  const { entry, config, bundled, offered, auth } = parts;
  const folders = config && 'bundled' in config && config.bundled === 'files' ? (config.folders ?? []) : undefined;
  const account = auth.account();
  const signingIn = auth.signingIn();
  const icon = parts.icons.keyOf(offered?.lists.icons);
  const views = parts.showsViews ? (offered?.lists.tools ?? []).filter(({ ui }) => viewOfTool(ui).uri !== undefined) : [];
  return {
    id,
    name: entry.name,
    kind: kindOf(entry.value),
    ...(bundled && { bundled }),
    ...(config && 'command' in config && config.bundle && { bundle: bundleSummary(config.bundle) }),
    summary: config ? summaryOf(config) : '',
    enabled: isEnabled(entry.value),
    status: parts.status,
    ...(offered && {
      counts: {
        tools: offered.lists.tools.filter((tool) => tool.problem === undefined).length,
        resources: offered.lists.resources.length,
        templates: offered.lists.templates.filter((template) => template.problem === undefined).length,
        prompts: offered.lists.prompts.length,
      },
    }),
    ...(offered?.protocol && { protocol: offered.protocol }),
    ...(offered?.lists.reported && { reported: offered.lists.reported }),
    ...(parts.toReview && { toReview: parts.toReview }),
    ...(parts.sandbox && { sandbox: parts.sandbox }),
    ...(views.length > 0 && { views: views.map(({ name }) => name) }),
    ...(icon !== undefined && { icon }),
    ...(account && { account }),
    ...(signingIn && { signingIn }),
    ...(folders && { folders: folders.map((path) => ({ id: parts.folders.idOf(path), path })) }),
  };
}

export function detailsOf(parts: {
  server: Server;
  entry: AdoptedEntry;
  config: ServerConfig | undefined;
  offered: KnownOffer | undefined;
  effects: ToolEffects;
  icons: ServerIcons;
  content: ServerContent;
  secrets: Secrets;
  consentGiven: boolean;
  sandbox: ServerDetails['sandbox'];
  warnings: string[];
  log: ServerDetails['log'];
  logLevel: ServerDetails['logLevel'];
}): ServerDetails {
  const { server, entry, config, logLevel, secrets } = parts;
  const lists = parts.offered?.lists;
  const known = parts.effects.known();
  const ofBundle = new Set(secretsOfBundle(config && 'command' in config ? config.bundle : undefined));
  return {
    server,
    content: contentView(parts.content),
    ...(known && { known: knownView(known) }),
    configJson: entry.text,
    ...(config === undefined ? {} : { era: config.era ?? 'auto' }),
    ...(parts.sandbox && { sandbox: parts.sandbox }),
    // Those of a bundle are set in its form, under the names that its maker gave them.
    secrets: secretNamesIn(entry.value).flatMap((name) =>
      ofBundle.has(name) ? [] : [{ name, isSet: entry.plain.has(name) || secrets.has(secretOwner(server.id), name) !== 'missing' }],
    ),
    ...offeredDetails(lists, parts.effects.of, parts.icons.keyOf),
    log: parts.log,
    ...(logLevel === undefined ? {} : { logLevel }),
    warnings: [
      ...parts.warnings,
      ...configWarnings(config, parts.consentGiven ? [] : [...entry.plain.keys()]),
      ...(lists?.warnings ?? []),
      ...parts.icons.warnings(),
    ],
  };
}
