import 'server-only';
import { roleNow } from '@/lib/access/on-behalf-of';
import type { Actor } from '@/lib/actor';
import { findConnection } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { logBroken } from '@/lib/log';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { isAlive, processId } from './process';
import {
  type CarriedOut,
  findScheduled,
  keepItem,
  type ScheduledItem,
  scheduledOf,
  scheduledWork,
  scheduleKeys,
} from './schedule';

const AT_ONCE = 50;
/** While Redis is out of reach it is tried again: late is better than not at all, and the list says so. */
const AGAIN_MS = 5 * SECOND;

const suspended = (why: string): CarriedOut => ({ state: 'suspended', why });

const carryOut = async (store: Store, item: ScheduledItem, now: number): Promise<CarriedOut> => {
  const work = scheduledWork(item.action);
  if (!work) return suspended('Nothing here carries this out any more.');
  const payload = work.payload.safeParse(item.data);
  if (!payload.success) return suspended('What was planned cannot be read any more.');
  const connection = findConnection(item.connection);
  if (!connection) return suspended('This connection is no longer configured.');
  const role = await roleNow(store, item.by, now);
  const actor: Actor = {
    kind: 'schedule',
    id: item.id,
    onBehalfOf: item.by.id,
    name: item.by.name,
    role,
  };
  return work.carryOut({ actor, requestId: newId(), connection }, item, payload.data);
};

/** Not now, and why. */
interface Later {
  state: 'later';
  why: string;
}

const UNREACHABLE: Later = { state: 'later', why: 'Redis is out of reach.' };
const NOT_YET: Later = { state: 'later', why: 'What was planned before it is not done yet.' };

/** Each builds upon what the one before it leaves: after an outage they still go in their order. */
const isNext = async (store: Store, { connection, action, target, at }: ScheduledItem): Promise<boolean> => {
  const others = await scheduledOf(store, connection, action);
  return !others.some((other) => other.target === target && other.at < at && other.state !== 'suspended');
};

const outcomeOf = async (store: Store, item: ScheduledItem, now: number): Promise<CarriedOut | Later> => {
  try {
    return (await isNext(store, item)) ? await carryOut(store, item, now) : NOT_YET;
  } catch (error) {
    if (error instanceof Problem) return error.status === 503 ? UNREACHABLE : suspended(error.message);
    logBroken(`scheduled ${item.action} ${item.id}`, error);
    return suspended('It broke on our side; the server log has its id.');
  }
};

/** Whether this process has it now; of several exactly one. */
const claim = async (store: Store, item: ScheduledItem): Promise<boolean> => {
  const running = { ...item, state: 'running', owner: processId() };
  const reply = (await store.run(
    'schedule-claim',
    [scheduleKeys.due, scheduleKeys.of(item.connection)],
    [scheduleKeys.member(item), item.id, JSON.stringify(running)],
  )) as number[];
  return reply[2] === 1;
};

const conclude = async (store: Store, item: ScheduledItem, ended: CarriedOut | Later, now: number) => {
  const ours = { ...item, owner: null };
  if (ended.state === 'later')
    await keepItem(store, { ...ours, state: 'waiting', why: ended.why }, now + AGAIN_MS);
  else if (ended.state === 'suspended') await keepItem(store, { ...ours, ...ended });
  else await store.use((redis) => redis.hdel(scheduleKeys.of(item.connection), item.id));
};

/** Carries out what is due, each once whichever process comes first. Returns how many were carried out. */
export const carryOutDue = async (store: Store, now = Date.now()): Promise<number> => {
  const members = await store.use((redis) =>
    redis.zrangebyscore(scheduleKeys.due, 0, now, 'LIMIT', 0, AT_ONCE),
  );
  let done = 0;
  for (const member of members) {
    const [connection = '', id = ''] = member.split('/');
    const item = await findScheduled(store, connection, id);
    if (!item) await store.use((redis) => redis.zrem(scheduleKeys.due, member));
    if (!item || !(await claim(store, item))) continue;
    const ended = await outcomeOf(store, item, now);
    await conclude(store, item, ended, now);
    if (ended.state !== 'later') done += 1;
  }
  return done;
};

const STOPPED = 'The console stopped while this was being carried out: see whether it was.';

/** What a process that died was at is shown as suspended: it may have been carried out or not. */
export const reconcileScheduled = async (store: Store, connections: readonly string[]): Promise<number> => {
  let ended = 0;
  for (const connection of connections)
    for (const item of await scheduledOf(store, connection)) {
      if (item.state !== 'running' || (item.owner && (await isAlive(store, item.owner)))) continue;
      await keepItem(store, { ...item, state: 'suspended', why: STOPPED, owner: null });
      ended += 1;
    }
  return ended;
};
