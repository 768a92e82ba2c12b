import { CircleHelp, Eye, Pencil, SquareArrowOutUpRight, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Effect, Effects } from '../../preload/contract/policy.ts';
import { Tag, type Tone } from './Tag.tsx';

type Shown = Effect | 'notReviewed';

const icons = { reads: Eye, changes: Pencil, deletes: Trash2, sendsOut: SquareArrowOutUpRight, notReviewed: CircleHelp } as const;
const tones: Record<Shown, Tone> = { reads: 'read', changes: 'write', deletes: 'danger', sendsOut: 'write', notReviewed: 'write' };

/** What a tool does, the gravest first. A tool that nobody classified says only that. */
export function effectsShown(effects: Effects): Shown[] {
  if (effects.source === 'nobody') return ['notReviewed'];
  return (['deletes', 'sendsOut', 'changes', 'reads'] as const).filter((effect) => effects.set.includes(effect));
}

/** `grave`: private content would go out. */
export function EffectTag({ effect, grave = false }: { effect: Shown; grave?: boolean }) {
  const { t } = useTranslation('app');
  const Icon = icons[effect];
  return (
    <Tag
      tone={grave && (effect === 'sendsOut' || effect === 'notReviewed') ? 'danger' : tones[effect]}
      icon={<Icon size={12} aria-hidden />}
    >
      {t(`effect.${effect}`)}
    </Tag>
  );
}

export function EffectTags({ effects, grave = false }: { effects: Effects; grave?: boolean }) {
  return effectsShown(effects).map((effect) => <EffectTag key={effect} effect={effect} grave={grave} />);
}
