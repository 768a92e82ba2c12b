import { useTranslation } from 'react-i18next';
import type { BundleProposal } from '../../../preload/contract/bundleProposal.ts';
import { panelClasses, Section } from '../../ui/Page.tsx';
import { Tag } from '../../ui/Tag.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { Exact, Fact, Nothing } from './startFacts.tsx';

type Changed = NonNullable<BundleProposal['installed']>['changed'];

/** What an opened bundle would run, whole, and what its maker says of it. `changed`: what is other than in the installed version. */
export function BundleStart({ proposal, changed }: { proposal: BundleProposal; changed: Changed }) {
  const { t, i18n } = useTranslation('bundles');
  const { start, files, bytes, description, homepage, license, privacyPolicies } = proposal;
  const mark = (part: Changed[number]) => (changed.includes(part) ? <Tag tone="write">{t('runs.changed')}</Tag> : null);
  const size = new Intl.NumberFormat(i18n.language, {
    style: 'unit',
    unit: bytes < 1_000_000 ? 'kilobyte' : 'megabyte',
    maximumFractionDigits: bytes < 1_000_000 ? 0 : 1,
  }).format(bytes < 1_000_000 ? Math.ceil(bytes / 1000) : bytes / 1_000_000);
  const about = [
    [t('about.homepage'), homepage === undefined ? [] : [homepage]],
    [t('about.license'), license === undefined ? [] : [license]],
    [t('about.privacy'), privacyPolicies],
  ] as const;
  return (
    <>
      <Section title={t('runs.title')}>
        <dl className={`flex flex-col [&>*+*]:border-t [&>*]:border-line ${panelClasses}`}>
          <Fact name={t('runs.program')} mark={mark('command')}>
            <Exact text={start.command} />
          </Fact>
          <Fact name={t('runs.arguments')} mark={mark('args')}>
            {start.args.length === 0 ? <Nothing /> : start.args.map((argument, index) => <Exact key={index} text={argument} />)}
          </Fact>
          <Fact name={t('runs.environment')} mark={mark('env')} hint={start.envNames.length > 0 ? t('runs.environmentHint') : undefined}>
            {start.envNames.length === 0 ? <Nothing /> : start.envNames.map((name) => <Exact key={name} text={name} />)}
          </Fact>
          <Fact name={t('runs.folder')} mark={null} hint={t('runs.size', { count: files, size })}>
            <Exact text={start.folder} />
          </Fact>
        </dl>
      </Section>
      {description === '' && about.every(([, values]) => values.length === 0) ? null : (
        <Section title={t('about.title')} hint={t('about.selfSaid')}>
          {description === '' ? null : (
            <p className="max-w-180 text-ui text-pretty wrap-anywhere whitespace-pre-line text-ink-2">
              <VisibleText text={description} />
            </p>
          )}
          <dl className="mt-2 flex flex-col gap-1 text-caption text-ink-3">
            {about.flatMap(([name, values]) =>
              values.map((value, index) => (
                <div key={`${name} ${index}`} className="flex gap-2">
                  <dt className="w-20 shrink-0">{name}</dt>
                  <dd className="min-w-0 wrap-anywhere">
                    <VisibleText text={value} />
                  </dd>
                </div>
              )),
            )}
          </dl>
        </Section>
      )}
    </>
  );
}
