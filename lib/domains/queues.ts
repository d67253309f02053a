import 'server-only';
import { listCounters } from '@/lib/counters/reads';
import { counterContracts } from '@/lib/counters/schema';
import { readRoute } from '@/lib/http/routes';
import { getLeaderboard, listLeaderboards } from '@/lib/leaderboards/reads';
import { leaderboardContracts } from '@/lib/leaderboards/schema';
import { queueFigures } from '@/lib/queues/figures';
import { readQueueSeries } from '@/lib/queues/history';
import { listQueues, peekQueue } from '@/lib/queues/reads';
import { queueContracts } from '@/lib/queues/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(queueContracts.list, listQueues),
    readRoute(queueContracts.peek, peekQueue),
    readRoute(queueContracts.series, readQueueSeries),
    readRoute(leaderboardContracts.list, listLeaderboards),
    readRoute(leaderboardContracts.get, getLeaderboard),
    readRoute(counterContracts.list, listCounters),
  ],
  figures: [queueFigures],
};
