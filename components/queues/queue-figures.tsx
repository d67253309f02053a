'use client';

import { useTranslations } from 'next-intl';
import { ShownBytes } from '@/components/patterns/shown-bytes';
import { useFormat } from '@/components/patterns/use-format';
import type { Queue, QueueEntry } from '@/lib/queues/schema';
import classes from './queues.module.css';

type Flow = Pick<Queue, 'ratesAreAtLeast'> & { value: number | null };

/** Rates below this, per second, are shown per hour, because they would read 0/s. */
const SLOW = 0.1;

/** A rate; "≥" where it is a lower bound. */
export const FlowRate = ({ value, ratesAreAtLeast }: Flow) => {
  const t = useTranslations('queues');
  const { count, perSecond } = useFormat();
  const isSlow = value !== null && value > 0 && value < SLOW;
  const text = isSlow ? t('perHour', { count: count(Math.round(value * 3600)) }) : perSecond(value);
  return <span>{value !== null && ratesAreAtLeast ? t('atLeast', { rate: text }) : text}</span>;
};

const FIELDS_SHOWN = 4;

/** An element that waits, as the key inspector would show it, on one line. */
export const Preview = ({ entry, max = 120 }: { entry: QueueEntry; max?: number }) => {
  if (entry.value) return <ShownBytes of={entry.value} max={max} />;
  return (
    <span className={classes.fields}>
      {entry.fields?.slice(0, FIELDS_SHOWN).map(({ field, value }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry may have a field twice
        <span key={i}>
          <ShownBytes of={field} max={40} isName />: <ShownBytes of={value} max={max} />
        </span>
      ))}
    </span>
  );
};

/** The plain text of an element, for exports. */
export const previewText = ({ value, fields }: QueueEntry): string => {
  const text = (shown: { text: string | null; base64: string | null }) => shown.text ?? shown.base64 ?? '•••';
  if (value) return text(value);
  return (fields ?? []).map((entry) => `${text(entry.field)}=${text(entry.value)}`).join(' ');
};

const TYPES = ['list', 'zset', 'stream', 'none'] as const;

/** The type of a queue in words. */
export const TypeText = ({ of }: { of: string }) => {
  const t = useTranslations('queues.type');
  const known = TYPES.find((type) => type === of);
  return known ? t(known) : of;
};
