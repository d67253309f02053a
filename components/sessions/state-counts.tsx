'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { RelativeTime } from '@/components/patterns/relative-time';
import { sessionStatsQuery } from '@/components/patterns/session-stats-query';
import { type StateTile, StateTiles, stateTiles } from '@/components/patterns/state-tiles';
import type { SessionState } from '@/lib/sessions/schema';

/** The order of the tiles: valid sessions, then index errors, then faulty sessions. */
const STATES = {
  live: 'good',
  unindexed: 'warn',
  staleIndex: 'quiet',
  ghost: 'bad',
  noTtl: 'warn',
  legacy: 'warn',
  malformed: 'bad',
} as const;

interface StateCountsProps {
  /** The state of the filter; '' for any. */
  state: string;
  onState: (state: SessionState | '') => void;
}

/** Counts of sessions, users and states. Each state is a filter. */
export const StateCounts = ({ state, onState }: StateCountsProps) => {
  const t = useTranslations('sessions');
  const connection = useConnection();
  const { data, isPending, isError } = useQuery(sessionStatsQuery(connection.id));
  const totals = (['sessions', 'users'] as const).map(
    (id): StateTile => ({ id, name: t(`counts.${id}`), count: data?.[id] }),
  );
  const states = stateTiles({
    tones: STATES,
    name: (id) => t(`state.${id}`),
    means: (id) => t(`stateMeans.${id}`),
    count: (id) => data?.byState?.[id],
    chosen: state,
    onState,
  });
  return (
    <StateTiles
      label={t('counts.label')}
      tiles={[...totals, ...states]}
      loading={isPending}
      hint={t('counts.note')}
      age={<Age at={data?.countedAt} counting={data?.counting ?? false} failed={isError} />}
    />
  );
};

interface AgeProps {
  at: string | null | undefined;
  counting: boolean;
  failed: boolean;
}

/** When the counts were made: those of a large keyspace may be minutes old. */
const Age = ({ at, counting, failed }: AgeProps) => {
  const t = useTranslations('sessions.counts');
  return (
    <>
      {at && t.rich('countedAt', { age: () => <RelativeTime at={at} /> })}
      {counting && !failed && ` ${t(at ? 'counting' : 'firstCount')}`}
      {failed && ` ${t('failed')}`}
    </>
  );
};
