'use client';

import { IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { ScanFooter } from '@/components/data-table/scan-footer';
import { useScanPages } from '@/components/data-table/use-scan-pages';
import { useConnection } from '@/components/patterns/connection';
import { listQuery } from '@/components/patterns/list-query';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { type Session, sessionContracts } from '@/lib/sessions/schema';
import { SessionTable } from './session-table';
import type { Revocation } from './use-revocation';

const fingerprintOf = ({ fingerprint }: Session): string => fingerprint;

/** All sessions, in the order SCAN returns them. */
export const SessionList = ({ revocation }: { revocation: Revocation }) => {
  const t = useTranslations('sessions');
  const tWord = useTranslations('words');
  const { id: connection } = useConnection();
  const query = useInfiniteQuery(
    listQuery(sessionContracts.list, { connection, filter: {}, everyMs: false }),
  );
  const found = useScanPages(query, fingerprintOf);
  if (query.isError && !query.data) return <QueryProblem of={query} />;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <SessionTable
        label={tWord('sessions')}
        rows={found.rows}
        {...found.pages}
        revocation={revocation}
        empty={{ icon: IconUsers, title: t('empty.title'), text: t('empty.text') }}
      />
      {query.data && (
        <ScanFooter paused={found.paused} onMore={found.goOn}>
          {t(query.hasNextPage ? 'examined' : 'examinedAll', { count: found.examined, keys: found.keys })}
        </ScanFooter>
      )}
    </>
  );
};
