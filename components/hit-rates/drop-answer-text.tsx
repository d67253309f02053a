'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useFormat } from '@/components/patterns/use-format';
import type { HitRateChange } from '@/lib/hit-rates/schema';
import { answerOf } from './drop-answer';

/** A time of the compared ranges: of day, or with the date where they are longer than two days. */
export const useRangeTime = ({ before, now }: HitRateChange) => {
  const { tick } = useFormat();
  const spanMs = Date.parse(now.to) - Date.parse(before.from);
  return (at: string): string => tick(Date.parse(at), spanMs);
};

/** "Shout cache accounts for 82 % of the additional misses since 09:14. Just before, at 09:13: invalidation." */
export const DropAnswerText = ({ change }: { change: HitRateChange }) => {
  const t = useTranslations('hitRates.drop.answer');
  const format = useFormat();
  const timeOf = useRangeTime(change);
  const answer = answerOf(change);
  const words = (): string => {
    if (answer.kind === 'notObserved') return t(`notObserved.${answer.period}`);
    if (answer.kind !== 'family') return t(answer.kind);
    const { family, certain } = answer;
    const values = { family: family.title, share: format.ratio(answer.share) };
    if (!certain) return t('withinNoise', values);
    return family.since ? t('since', { ...values, since: timeOf(family.since) }) : t('family', values);
  };
  const event = answer.kind === 'family' ? answer.event : null;
  return (
    <Text size="md" fw={600} role="status" data-testid="drop-answer">
      {words()} {event && t(`before.${event.kind}`, { time: timeOf(event.at) })}
    </Text>
  );
};
