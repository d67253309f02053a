'use client';

import { useTranslations } from 'next-intl';
import { fromBase64, hexOf } from '@/components/patterns/file-bytes';
import { MultilineText } from '@/components/patterns/multiline-text';
import { useNow } from '@/components/patterns/now';
import { RevealFoot } from '@/components/patterns/reveal-foot-on-demand';
import type { Reveal } from '@/components/patterns/use-reveal';
import type { envContracts } from '@/lib/env/schema';
import classes from './env.module.css';

export type RevealVariable = Reveal<typeof envContracts.reveal>;

interface RevealedValueProps {
  shown: NonNullable<RevealVariable['shown']>;
  onHide: () => void;
}

/** A plaintext value with a countdown until it is hidden. */
export const RevealedValue = ({ shown: { answer, until }, onHide }: RevealedValueProps) => {
  const t = useTranslations('env.reveal');
  const now = useNow('second') ?? 0;
  // After sleep, timers run late: hide by the clock.
  if (until <= now) return null;
  const { value, valueBase64 } = answer;
  return (
    <section className={classes.revealed} aria-label={t('of')}>
      <div className={classes.clear} data-testid="revealed">
        {value === null ? (
          <code>{hexOf(fromBase64(valueBase64 ?? ''), 512)}</code>
        ) : (
          <MultilineText maxLines={60} max={20_000}>
            {value}
          </MultilineText>
        )}
      </div>
      <RevealFoot until={until} copied={value ?? valueBase64 ?? ''} onHide={onHide} />
    </section>
  );
};
