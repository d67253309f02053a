import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { findKey } from '@/lib/command/key-ids';
import type { Input } from '@/lib/contract';
import { type Listed, listedItems, listKeys, readTyped } from '@/lib/key-values/listed-keys';
import { measureElements } from '@/lib/key-values/raw-elements';
import { idBefore, oldestWaiting, readGroups, showGroups, waitingIn } from '@/lib/key-values/stream-groups';
import { displayKey } from '@/lib/keyspace/display';
import { badCursor, cursorAt, placeAt } from '@/lib/list-page';
import type { Key } from '@/lib/redis/commands';
import { withoutStore } from '@/lib/redis/failure';
import { roleKeys } from '@/lib/role-keys/role-keys';
import { readDue } from './due';
import { LENGTHS, type QueueType } from './ends';
import { EntryShower, readRaw, scoreOf } from './entries';
import { oldestEnd } from './flow';
import { ratesOf } from './history';
import { noticeQueues } from './noticed';
import { queueIdOf, queueNamed } from './queue-key';
import { PEEK_LIMIT, type Queue, type QueueEntry, type queueContracts } from './schema';
import { EMPTY_KEPT_MS, MAX_AGE_MS, type QueueState, type QueueStates, readStates } from './states';

const PEEKED = 3;

const NO_STATES: QueueStates = { sampledAt: null, byId: new Map() };

/** Without the store there are no rates, and the queues are listed still. */
const statesOf = ({ store, connection }: ReadContext): Promise<QueueStates> =>
  readStates(store, connection.config.id).catch(withoutStore(NO_STATES));

const UNKNOWN_RATES = { inPerSecond: null, outPerSecond: null, ratesAreAtLeast: false };
const UNKNOWN_DIRECTION = { pushedAt: null, takenFrom: null };

type Known = Pick<Queue, 'inPerSecond' | 'outPerSecond' | 'ratesAreAtLeast' | 'oldestAt' | 'takenFrom'>;

const knownOf = (state: QueueState | undefined, isFresh: boolean): Known => ({
  ...(state && isFresh ? ratesOf(state) : UNKNOWN_RATES),
  oldestAt: oldestEnd(state ?? UNKNOWN_DIRECTION),
  takenFrom: state?.takenFrom ?? null,
});

const NOTHING = { length: null, oldest: null, due: null, nextDueAt: null, peek: [], problem: null };

type Waiting = Pick<Queue, 'length' | 'oldest' | 'due' | 'nextDueAt' | 'peek' | 'entries' | 'groups'>;

const oldestOf = ([first]: readonly QueueEntry[]): Queue['oldest'] =>
  first ? { at: first.at, ageSeconds: first.ageSeconds, preview: first } : null;

/** Entries stay in a stream after they were acknowledged: its groups say what waits. */
const readStream = async (
  ctx: ReadContext,
  listed: Listed,
  { length: entries, count }: { length: number; count: number },
): Promise<Waiting> => {
  const { key, access } = listed;
  const groups = await readGroups(ctx, key);
  const first = groups && groups.length > 0 ? await oldestWaiting(ctx, key, groups) : '0-1';
  const place = first && idBefore(first);
  const raw =
    place === null || groups === null
      ? []
      : await readRaw(ctx, key, { type: 'stream', from: 'head', place, count });
  const peek = await new EntryShower(ctx, listed, 'stream').showAll(raw);
  return {
    length: waitingIn(groups, entries),
    oldest: oldestOf(peek),
    due: null,
    nextDueAt: null,
    peek,
    entries,
    groups: groups && (await showGroups(ctx, access, key, groups)),
  };
};

const readWaiting = async (ctx: ReadContext, listed: Listed, known: Known): Promise<Waiting> => {
  const { key, row } = listed;
  const type = row.type as QueueType;
  const from = type === 'list' ? known.oldestAt : 'head';
  const { length, count } = await measureElements(ctx, key, LENGTHS[type], PEEKED);
  if (type === 'stream') return readStream(ctx, listed, { length, count });
  const raw = await readRaw(ctx, key, { type, from, place: 0, count });
  const peek = await new EntryShower(ctx, listed, type).showAll(raw);
  const due = type === 'zset' && raw[0] ? await readDue(ctx, key, scoreOf(raw[0])) : null;
  return {
    length,
    oldest: oldestOf(peek),
    due: due?.due ?? null,
    nextDueAt: due?.nextDueAt ?? null,
    peek,
  };
};

const QUEUE_TYPES = Object.keys(LENGTHS);

const readQueue = async (ctx: ReadContext, listed: Listed, known: Known): Promise<Queue> => {
  const { row } = listed;
  const queue = { ...row, ...known, ...NOTHING };
  if (row.type === 'none') return { ...queue, length: 0 };
  return { ...queue, ...(await readTyped(listed, QUEUE_TYPES, () => readWaiting(ctx, listed, known))) };
};

/** Queues that were seen with elements lately and are empty: Redis does not have their keys. */
const emptyQueues = (ctx: ReadContext, { byId }: QueueStates, found: readonly { key: Key }[]) => {
  const present = new Set(found.map(({ key }) => key.toString('latin1')));
  return [...byId.values()].filter(({ key, filledAt }) => {
    const isQueue = ctx.catalog.locate(key).family?.role === 'queue';
    const isLate = ctx.now() - filledAt > EMPTY_KEPT_MS;
    return isQueue && !isLate && !present.has(key.toString('latin1'));
  });
};

/** By what is shown: a search must not find what is masked. */
const matcherOf = ({ catalog }: ReadContext, q: string | undefined) => {
  const words = q?.toLowerCase() ?? '';
  return ({ key }: { key: Key }) => words === '' || displayKey(key, catalog).toLowerCase().includes(words);
};

/** The only key, without a scan. Throws 404 where its name is not a queue's. */
const oneKey = async (ctx: ReadContext, keyId: string) => {
  const key = await findKey(ctx, keyId);
  queueNamed(ctx, key);
  return { keys: [{ key }], isComplete: true, foundAt: null };
};

const allKeys = async (ctx: ReadContext, states: QueueStates) => {
  const found = await roleKeys(ctx.connection, ctx.catalog, ['queue']);
  return { ...found, keys: [...found.keys, ...emptyQueues(ctx, states, found.keys)] };
};

/** queues.list: 404 for the id of a key whose name is not a queue's. */
export const listQueues: ReadOf<typeof queueContracts.list> = async (ctx, { q, keyId, ...input }) => {
  const states = await statesOf(ctx);
  const isFresh = states.sampledAt !== null && ctx.now() - states.sampledAt <= MAX_AGE_MS;
  const found = await (keyId === undefined ? allKeys(ctx, states) : oneKey(ctx, keyId));
  const matching = { ...found, keys: found.keys.filter(matcherOf(ctx, q)) };
  const page = await listedItems(ctx, 'queues.list', matching, input, (listed) => {
    // Anybody can name a key that does not exist.
    if (keyId === undefined || listed.row.type !== 'none') noticeQueues(ctx.connection, [listed.key]);
    const state = states.byId.get(queueIdOf(ctx.connection.config.id, listed.key));
    return readQueue(ctx, listed, knownOf(state, isFresh));
  });
  return { ...page, total: found.keys.length };
};

type PeekInput = Input<typeof queueContracts.peek>;

const placeOf = ({ cursor }: PeekInput, type: QueueType): number | string => {
  if (cursor === undefined) return 0;
  const [place] = placeAt(cursor, [type === 'stream' ? 'string' : 'number']);
  const isPlace = type === 'stream' ? /^\d{1,20}-\d{1,20}$/.test(`${place}`) : Number.isSafeInteger(place);
  if (place === undefined || !isPlace || Number(place) < 0) throw badCursor();
  return place;
};

const peekAt = async (ctx: ReadContext, listed: Listed, type: QueueType, input: PeekInput) => {
  const place = placeOf(input, type);
  const { key } = listed;
  const { length, count } = await measureElements(ctx, key, LENGTHS[type], Math.min(input.limit, PEEK_LIMIT));
  const raw = await readRaw(ctx, key, { type, from: input.from, place, count });
  const items = await new EntryShower(ctx, listed, type).showAll(raw);
  const next = type === 'stream' ? items.at(-1)?.entryId : Number(place) + items.length;
  const isAll = input.cursor === undefined && raw.length >= length;
  const isLast = isAll || raw.length < count || (type !== 'stream' && Number(next) >= length);
  return { length, items, nextCursor: isLast || !next ? null : cursorAt([next]) };
};

/** queues.peek: 404 where the key's name is not a queue's. A vanished queue has no elements. */
export const peekQueue: ReadOf<typeof queueContracts.peek> = async (ctx, input) => {
  const key = await findKey(ctx, input.keyId);
  queueNamed(ctx, key);
  const [listed] = await listKeys(ctx, [key]);
  const { type } = listed!.row;
  const nothing = { type, length: null, items: [], nextCursor: null, problem: null };
  if (type === 'none') return { ...nothing, length: 0 };
  const read = () => peekAt(ctx, listed!, type as QueueType, input);
  return { ...nothing, ...(await readTyped(listed!, QUEUE_TYPES, read)) };
};
