import { expect, test } from 'vitest';
import { audit as enAudit } from '../../renderer/i18n/en/audit.ts';
import { managed as enManaged } from '../../renderer/i18n/en/managed.ts';
import { models as enModels } from '../../renderer/i18n/en/models.ts';
import { sandbox as enSandbox } from '../../renderer/i18n/en/sandbox.ts';
import { servers as enServers } from '../../renderer/i18n/en/servers.ts';
import { settings as enSettings } from '../../renderer/i18n/en/settings.ts';
import { audit as zhAudit } from '../../renderer/i18n/zh/audit.ts';
import { managed as zhManaged } from '../../renderer/i18n/zh/managed.ts';
import { models as zhModels } from '../../renderer/i18n/zh/models.ts';
import { sandbox as zhSandbox } from '../../renderer/i18n/zh/sandbox.ts';
import { servers as zhServers } from '../../renderer/i18n/zh/servers.ts';
import { settings as zhSettings } from '../../renderer/i18n/zh/settings.ts';

const features: [string, Record<string, string>, Record<string, string>][] = [
  ['servers', enServers, zhServers],
  ['sandbox', enSandbox, zhSandbox],
  ['audit', enAudit, zhAudit],
  ['managed', enManaged, zhManaged],
  ['models', enModels, zhModels],
  ['settings', enSettings, zhSettings],
];

test.each(features)('the words of %s are for people, not for makers of hosts', (_, en) => {
  const found = Object.entries(en).filter(([, text]) =>
    /\b(eras?|modern|legacy|pin(s|ned)?|flows?|taint(ed)?|hash(es)?|roots?)\b/i.test(text),
  );
  expect(found).toEqual([]);
});

test.each(features)('every sentence of %s stands in both languages with the same values in it', (_, en, zh) => {
  const valuesIn = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();
  const different = Object.entries(en).filter(([key, text]) => {
    // Chinese has one form where English has two; the singular may leave the number out.
    const other = zh[key] ?? zh[key.replace(/_one$/, '_other')];
    return other === undefined || (!key.endsWith('_one') && valuesIn(other).join() !== valuesIn(text).join());
  });
  expect(different).toEqual([]);
});
