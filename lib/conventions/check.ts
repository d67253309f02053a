import 'server-only';
import { catalogOf } from '@/lib/command/context';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import type { WalkCost } from '@/lib/walk/schema';
import { joinWalk, type Participant } from '@/lib/walk/shared-walk';
import { type Checked, finishCheck } from './checked';
import { ConventionsCollector } from './collector';
import { type PolicyInForce, policyOf } from './policy/policy';
import { reportOf } from './report';
import type { ConventionsReport } from './schema';
import { addToHistory, countsOfYesterday, readCheck, writeCheck } from './stored-check';
import { readWaivers } from './waivers';

type WalkOptions = Pick<Participant, 'signal' | 'onShare' | 'isFaster'>;

/** Joins a walk with a collector. A restarted walk begins with a new collector, and the last one counts. */
const walk = async (
  handle: ConnectionHandle,
  begin: () => ConventionsCollector,
  options: WalkOptions,
): Promise<{ collector: ConventionsCollector; cost: WalkCost }> => {
  let collector = begin();
  const cost = await joinWalk(handle, {
    part: 'conventions',
    ...options,
    begin: () => {
      collector = begin();
      return collector;
    },
  });
  return { collector, cost };
};

/** The report of a check, under the policy and the waivers now in force. */
export const storedReport = async (
  store: Store,
  handle: ConnectionHandle,
  check: Checked | null,
  now: number,
): Promise<ConventionsReport> => {
  const { id } = handle.config;
  const [waivers, yesterday] = await Promise.all([
    readWaivers(store, id, now),
    countsOfYesterday(store, id, now),
  ]);
  return reportOf({ checked: check, inForce: policyOf(handle), waivers, yesterday, now });
};

/** Completes a check from a walk, and stores it with its row of the history. */
export const saveCheck = async (
  store: Store,
  handle: ConnectionHandle,
  collector: ConventionsCollector,
  { cost, now, wasRequested }: { cost: WalkCost; now: number; wasRequested: boolean },
): Promise<ConventionsReport> => {
  const { id } = handle.config;
  const before = (await readCheck(store, id))?.forbidden ?? {};
  const options = { at: now, complete: true, walk: cost, before, withIds: true };
  const check = await finishCheck(handle, collector, options);
  await writeCheck(store, id, check);
  const report = await storedReport(store, handle, check, now);
  await addToHistory(store, id, report, { at: now, wasRequested });
  return report;
};

/** Checks the conventions now, and stores the report. */
export const checkAndStore = async (
  store: Store,
  handle: ConnectionHandle,
  options: WalkOptions & { now: () => number },
): Promise<ConventionsReport> => {
  const { collector, cost } = await walk(handle, () => new ConventionsCollector(handle), options);
  return saveCheck(store, handle, collector, { cost, now: options.now(), wasRequested: true });
};

/** Checks the conventions without the console's store, as in CI: no history, and only the policy's waivers. */
export const checkConventions = async (
  handle: ConnectionHandle,
  inForce: PolicyInForce,
  options: WalkOptions & { now?: () => number },
): Promise<ConventionsReport> => {
  const catalog = catalogOf(handle);
  const { collector, cost } = await walk(
    handle,
    () => new ConventionsCollector(handle, inForce, catalog),
    options,
  );
  const now = (options.now ?? Date.now)();
  const check = await finishCheck(handle, collector, {
    at: now,
    complete: true,
    walk: cost,
    before: {},
    withIds: false,
  });
  return reportOf({ checked: check, inForce, waivers: [], yesterday: null, now });
};
