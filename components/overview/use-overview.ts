'use client';

import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { historyQueries } from '@/components/patterns/history-queries';
import { RANGES, type RangeId } from '@/components/patterns/ranges';
import { useLive } from '@/components/shell/live';
import { shellQueries } from '@/components/shell/queries';
import type { HistoryEvent, Point } from '@/lib/history/schema';
import type { Overview } from '@/lib/overview/schema';
import { joinLive } from './joined';

const NO_POINTS: Point[] = [];
const NO_EVENTS: HistoryEvent[] = [];

export const UNKNOWN: Overview = {
  sampledAt: null,
  hitRate: null,
  opsPerSecond: null,
  usedMemoryBytes: null,
  maxMemoryBytes: null,
  keys: null,
  keysWithTtl: null,
  connectedClients: null,
  evictedKeys: null,
  onlineUsers: null,
  sessions: null,
  sessionsCountedAt: null,
  blockedProjects: null,
  blacklistedIps: null,
  limitedProjects: null,
  limitedProjectsCountedAt: null,
  flagRequests: null,
  approvals: null,
  firingAlerts: null,
  attention: [],
};

/** The figures of the newest point of the history, for a page opened while Redis is unreachable. */
const fromHistory = (overview: Overview, last: Point | undefined): Overview =>
  last
    ? {
        ...overview,
        sampledAt: last.at,
        hitRate: last.hitRate,
        opsPerSecond: last.opsPerSecond,
        usedMemoryBytes: last.usedMemoryBytes,
        connectedClients: last.connectedClients,
      }
    : overview;

/** The last answer that had figures; without one those of the history; undefined during the first load. */
const useLastKnown = (
  connection: string,
  answer: Overview | undefined,
  last: Point | undefined,
  failed: boolean,
) => {
  const kept = useRef<{ connection: string; overview: Overview } | null>(null);
  if (answer && answer.usedMemoryBytes !== null) {
    kept.current = { connection, overview: answer };
    return answer;
  }
  const previous = kept.current?.connection === connection ? kept.current.overview : null;
  if (previous) return { ...previous, attention: answer?.attention ?? previous.attention };
  if (!answer && !failed) return undefined;
  return fromHistory(answer ?? UNKNOWN, last);
};

/** All data of the overview: live figures, the history joined with live points, and whether Redis is reachable. */
export const useOverview = (connection: string, range: RangeId) => {
  const now = useQuery(shellQueries.overview(connection));
  const series = useQuery(historyQueries.series(connection, range));
  const status = useQuery(shellQueries.connections()).data?.items.find((item) => item.id === connection);
  const live = useLive();
  const stepMs = (series.data?.stepSeconds ?? RANGES[range].stepSeconds) * 1000;
  const history = series.data?.points ?? NO_POINTS;
  const samples = useMemo(() => joinLive(history, live.points, stepMs), [history, live.points, stepMs]);
  const to = Math.max(series.data?.to ?? 0, samples.at(-1)?.at ?? 0);
  const gone = status?.status === 'unreachable' || status?.status === 'degraded';
  const overview = useLastKnown(connection, now.data, history.at(-1), now.isError);
  return {
    overview,
    history,
    samples,
    events: series.data?.events ?? NO_EVENTS,
    from: to - RANGES[range].spanMs,
    to,
    stepMs,
    loading: series.isPending,
    /** False while the items are not completely known. */
    attentionKnown: now.data !== undefined && !gone,
    trouble: now.error ?? series.error,
    valuesFrom: overview?.sampledAt ?? null,
  };
};
