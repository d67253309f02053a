'use client';

import { queryOptions, useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'next-intl';
import { SECOND } from '@/lib/time';
import { walkContracts } from '@/lib/walk/schema';
import { Dimmed } from './dimmed';
import { NO_STATUS } from './filter-bar';
import { readQuery } from './read-query';
import { RelativeTime } from './relative-time';
import { useFormat } from './use-format';

const REFETCH_MS = 15 * SECOND;

const walkQuery = (connection: string) =>
  queryOptions({
    ...readQuery(walkContracts.get, connection, {}),
    refetchInterval: REFETCH_MS,
  });

/**
 * When all keys were last walked, at which cost, and for which purpose. One line, whose space is reserved while it
 * loads.
 */
export const WalkLine = ({ connection }: { connection: string }) => {
  const t = useTranslations('patterns.walk');
  const tWord = useTranslations('words');
  const formatter = useFormatter();
  const format = useFormat();
  const { data } = useQuery(walkQuery(connection));
  const last = data?.last;
  const running = data?.running;
  return (
    <Dimmed size="xs" mb="xs" truncate>
      {data && !last && !running && tWord('notCountedYet')}
      {last &&
        t.rich('cost', {
          age: () => <RelativeTime at={last.finishedAt} />,
          keys: last.keys,
          time: format.ms(Date.parse(last.finishedAt) - Date.parse(last.startedAt)),
          server: format.ms(last.serverMs),
        })}
      {last && last.parts.length > 1 && (
        <>
          {', '}
          {t('shared', { parts: formatter.list(last.parts.map((part) => t(`part.${part}`))) })}
        </>
      )}
      {last && !last.byScript && <>. {t('byCommands')}</>}
      {running && (
        <>
          {last && ' · '}
          {t('running', { share: format.ratio(running.share) })}
        </>
      )}
      {!data && NO_STATUS}
    </Dimmed>
  );
};
