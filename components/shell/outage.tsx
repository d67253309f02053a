'use client';

import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { type Outage, OutageProvider } from '@/components/patterns/outage';
import { ApiProblem } from '@/lib/api-client';
import { useLive } from './live';
import { shellQueries } from './queries';

/** A single failed reading, followed by a successful one, is not an outage. */
const MIN_GAP_MS = 1500;

/** The gap of the live feed, if it lasts. */
const useLastingGap = (): Outage | null => {
  const { gapOf, reason } = useLive();
  const [lasting, setLasting] = useState<Outage['of'] | null>(null);
  useEffect(() => {
    if (!gapOf) return setLasting(null);
    const timer = setTimeout(() => setLasting(gapOf), MIN_GAP_MS);
    return () => clearTimeout(timer);
  }, [gapOf]);
  return useMemo(() => (gapOf && lasting === gapOf ? { of: gapOf, reason } : null), [gapOf, lasting, reason]);
};

const codeOf = (error: unknown): string | null => (error instanceof ApiProblem ? error.code : null);

const useCurrentOutage = (connection: string | null): Outage | null => {
  const gap = useLastingGap();
  const connections = useQuery(shellQueries.connections());
  const jobs = useQuery(shellQueries.runningJobs());
  const shown = connections.data?.items.find(({ id }) => id === connection);
  if (codeOf(connections.error) === 'no_answer') return { of: 'console', reason: null };
  if (shown?.status === 'unreachable') return { of: 'redis', reason: shown.statusReason };
  if (gap) return gap;
  if (shown?.status === 'degraded') return { of: 'part', reason: shown.statusReason };
  return codeOf(jobs.error) === 'store_unavailable' ? { of: 'store', reason: null } : null;
};

/** Determines the outage that the banner shows on every page, and announces its end. */
export const OutageBoundary = ({
  shown,
  children,
}: {
  shown: ConnectionFacts | null;
  children: ReactNode;
}) => {
  const t = useTranslations('shell.outage');
  const client = useQueryClient();
  const connection = shown?.id ?? null;
  const current = useCurrentOutage(connection);
  const { of = null, reason = null } = current ?? {};
  const outage = useMemo(() => of && { of, reason }, [of, reason]);

  const last = useRef<{ of: Outage['of'] | null; connection: string | null }>({ of, connection });
  useEffect(() => {
    const { of: before, connection: beforeAt } = last.current;
    last.current = { of, connection };
    if (of !== null || before === null || beforeAt !== connection) return;
    notifications.show({ id: 'outage-over', color: 'green', message: t(`over.${before}`) });
    void client.refetchQueries({ type: 'active', stale: true });
  }, [of, connection, client, t]);

  return <OutageProvider outage={outage}>{children}</OutageProvider>;
};
