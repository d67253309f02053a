'use client';

import { ListPage } from '@/components/contract-list/list-page';
import { COUNTERS } from './counter-list';
import { LEADERBOARDS } from './leaderboard-list';
import { QUEUES } from './queue-list';

const TABS = {
  queues: { roles: ['queue'], list: QUEUES },
  leaderboards: { roles: ['leaderboard'], list: LEADERBOARDS },
  counters: { roles: ['count', 'bitmap', 'hyperloglog'], list: COUNTERS },
};

/** Work that waits, rankings, and what applications count. */
export const QueuesPage = () => <ListPage texts="queues" tabs={TABS} />;
