import { setTimeout } from 'node:timers/promises';
import * as background from './background';
import { type Batch, batchOn, type Target } from './batch';
import * as collector from './collector';
import { readFlag } from './configuration';
import { countVisit } from './counts';
import { lock } from './locks';
import { announce, notify } from './messages';
import * as pages from './pages';
import { state } from './processes';
import * as queues from './queues';
import * as visitors from './visitors';
import { BLACKLIST_PERIOD_SECONDS, type World } from './world';

const TICK_MS = 100;

export type Act<W> = (world: W, batch: Batch) => void;

/** Events per second of each kind; together about 300 commands per second. */
export const RATES: readonly (readonly [number, Act<World>])[] = [
  [30, pages.readAuthor],
  [20, pages.readAuthorList],
  [25, pages.readTopic],
  [12, pages.readTopicPage],
  [25, pages.readShouts],
  [10, pages.search],
  [20, pages.view],
  [1, pages.changeAuthor],
  [0.8, pages.publish],
  [15, visitors.browse],
  [0.7, visitors.arrive],
  [0.7, (world, batch) => visitors.leave(world, batch)],
  [0.4, visitors.oauth],
  [0.2, visitors.oauthState],
  [0.15, visitors.verify],
  [15, readFlag],
  [34, collector.request],
  [1, lock],
  [1, state],
  [2, queues.produce],
  [2, queues.consume],
  [0.2, queues.delay],
  [1, queues.takeDue],
  [3, countVisit],
  [5, notify],
  [2, announce],
  [2, background.countRequest],
  [0.2, collector.reloadBlocked],
  [1 / BLACKLIST_PERIOD_SECONDS, collector.endPeriod],
  [0.2, background.writeMetrics],
  [0.1, background.writeStats],
];

/**
 * Continues from a seeded world until `signal` aborts, with one pipeline every tenth of a second. While Redis is
 * unreachable it waits; `onTrouble` is called once per outage.
 */
export const live = async <W extends Pick<World, 'ledger'>>(
  redis: Target,
  world: W,
  rates: readonly (readonly [number, Act<W>])[],
  signal: AbortSignal,
  onTrouble: (message: string | null) => void,
): Promise<void> => {
  const batch = batchOn(redis, world.ledger.write);
  const due = rates.map(() => 0);
  let troubled = false;
  const tick = async (): Promise<void> => {
    rates.forEach(([perSecond, act], i) => {
      due[i]! += (perSecond * TICK_MS) / 1000;
      for (; due[i]! >= 1; due[i]! -= 1) act(world, batch);
    });
    try {
      await batch.flush();
      if (troubled) onTrouble(null);
      troubled = false;
    } catch (error) {
      if (!troubled) onTrouble(error instanceof Error ? error.message : String(error));
      troubled = true;
    }
  };
  while (!signal.aborted) {
    const start = Date.now();
    await tick();
    const rest = Math.max(10, TICK_MS - (Date.now() - start));
    await setTimeout(rest, undefined, { signal }).catch(() => {});
  }
};
