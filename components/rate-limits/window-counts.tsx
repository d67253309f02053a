'use client';

import { Progress, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { RelativeTime } from '@/components/patterns/relative-time';
import { type StateTile, StateTiles, stateTiles } from '@/components/patterns/state-tiles';
import { useFormat } from '@/components/patterns/use-format';
import type { WindowState } from '@/lib/rate-limits/schema';
import type { WindowsPage } from './queries';

/** Refused first, then soon refused, then the others. */
const STATES = {
  limited: 'bad',
  unreadable: 'bad',
  near: 'warn',
  ok: 'good',
  expired: 'quiet',
  unlimited: 'quiet',
} as const;

interface WindowCountsProps {
  /** The first page of the list. */
  page: WindowsPage | undefined;
  /** The state of the filter; '' for any. */
  state: string;
  onState: (state: WindowState | '') => void;
}

/** Windows by state, and the progress while they are being read. */
export const WindowCounts = ({ page, state, onState }: WindowCountsProps) => {
  const t = useTranslations('rateLimits');
  // Without limits every state would be a guess.
  const counts = page?.limits.status === 'loading' ? undefined : page?.counts;
  const total: StateTile = { id: 'total', name: t('counts.total'), count: page?.total };
  const states = stateTiles({
    tones: STATES,
    name: (id) => t(`state.${id}`),
    means: (id) => t(`stateMeans.${id}`),
    count: (id) => counts?.[id],
    chosen: state,
    onState,
  });
  return (
    <>
      <StateTiles
        label={t('counts.label')}
        tiles={[total, ...states]}
        loading={page === undefined}
        hint={t('counts.hint')}
        age={
          page?.complete && t.rich('counts.countedAt', { age: () => <RelativeTime at={page.sampledAt} /> })
        }
      />
      {page && !page.complete && page.limits.status !== 'loading' && <Reading page={page} />}
    </>
  );
};

const Reading = ({ page: { progress, total } }: { page: WindowsPage }) => {
  const t = useTranslations('rateLimits.counts');
  const format = useFormat();
  return (
    <div style={{ marginBottom: 12 }}>
      <Text size="sm">{t('reading', { share: format.ratio(progress), total })}</Text>
      <Progress value={progress * 100} size="sm" mt={4} aria-label={t('progress')} />
    </div>
  );
};
