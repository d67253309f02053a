import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { fallbackFor } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { isNotPermitted, isRefusal, isWrongType } from '@/lib/redis/failure';
import { SECOND } from '@/lib/time';
import { type ElementContext, readEntries } from './raw-elements';
import type { StreamGroup } from './schema';
import { maskedBytes, showBytes } from './show-bytes';
import type { ValueAccess } from './value-access';

/** A group of consumers, as the server describes it. */
export interface Group {
  name: Buffer;
  consumers: number;
  /** Entries that were delivered and not acknowledged. */
  pending: number;
  /** Entries that were not delivered yet; null where the server does not know. */
  lag: number | null;
  lastDeliveredId: string;
}

const recordOf = (flat: readonly unknown[]): Map<string, unknown> =>
  new Map(Array.from({ length: flat.length / 2 }, (_, i) => [String(flat[2 * i]), flat[2 * i + 1]]));

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Where our user may not ask, or a group was just deleted. */
const unlessRefused = <T, F>(reply: Promise<T>, fallback: F): Promise<T | F> =>
  reply.catch(
    fallbackFor((error) => isNotPermitted(error) || (isRefusal(error) && !isWrongType(error)), fallback),
  );

const entryAfter = async (ctx: ElementContext, key: Key, id: string): Promise<string | null> => {
  const [entry] = await readEntries(ctx, key, id, 1);
  return entry?.[0] ? entry[0].bytes.toString('latin1') : null;
};

/**
 * The groups of a stream; null where our user may not ask. A lag is known since Redis 7, unless entries were deleted; it
 * is also known where nothing follows the entry that was delivered last.
 */
export const readGroups = async (ctx: ElementContext, key: Key): Promise<Group[] | null> => {
  const rows = await unlessRefused(ctx.reader.read(['XINFO GROUPS', key]), null);
  if (rows === null) return null;
  const groups = rows.map(recordOf).map(
    (row): Group => ({
      name: row.get('name') as Buffer,
      consumers: Number(row.get('consumers')),
      pending: Number(row.get('pending')),
      lag: numberIn(row.get('lag')),
      lastDeliveredId: String(row.get('last-delivered-id')),
    }),
  );
  for (const group of groups)
    if (group.lag === null && (await entryAfter(ctx, key, group.lastDeliveredId)) === null) group.lag = 0;
  return groups;
};

/**
 * Entries that wait: those of the group that is furthest behind, and all of a stream without groups. Null where that is
 * not known.
 */
export const waitingIn = (groups: readonly Group[] | null, entries: number): number | null => {
  if (groups?.length === 0) return entries;
  if (!groups || groups.some(({ lag }) => lag === null)) return null;
  return Math.max(...groups.map(({ lag, pending }) => lag! + pending));
};

/** Ids are two integers of 64 bits. */
const idParts = (id: string): bigint => {
  const [ms = '0', sequence = '0'] = id.split('-');
  return BigInt(ms) * 2n ** 64n + BigInt(sequence);
};

/** The id of the oldest entry that a group has not acknowledged; null where none waits. */
export const oldestWaiting = async (
  ctx: ElementContext,
  key: Key,
  groups: readonly Group[],
): Promise<string | null> => {
  const ids: string[] = [];
  for (const { name, pending, lag, lastDeliveredId } of groups) {
    const [first] =
      pending > 0 ? await unlessRefused(ctx.reader.read(['XPENDING', key, name, '-', '+', 1]), []) : [];
    const next = lag === 0 ? null : await entryAfter(ctx, key, lastDeliveredId);
    if (first) ids.push(first[0].toString('latin1'));
    if (next) ids.push(next);
  }
  return ids.reduce<string | null>(
    (one, other) => (one !== null && idParts(one) <= idParts(other) ? one : other),
    null,
  );
};

/** The id before this one, for a range that begins with it. */
export const idBefore = (id: string): string => {
  const before = idParts(id) - 1n;
  return before < 0n ? '' : `${before / 2n ** 64n}-${before % 2n ** 64n}`;
};

const MAX_GROUPS = 50;
/** Consumers are not read for groups with more of them, because the server returns all. */
const MAX_CONSUMERS = 1000;
const MAX_SHOWN = 50;
const MAX_NAME_BYTES = 1024;

type Shower = Pick<ReadContext, 'catalog'> & ElementContext;

const nameIn = async ({ catalog }: Shower, { hidden, rules }: ValueAccess, name: Buffer) => {
  if (hidden) return maskedBytes(name.length);
  const cut = { bytes: name.subarray(0, MAX_NAME_BYTES), length: name.length };
  return showBytes(cut, { catalog, rules, decode: false });
};

/** Those with unfinished entries first, the longest idle of them before the others. */
const readConsumers = async (ctx: Shower, access: ValueAccess, key: Key, { name, consumers }: Group) => {
  if (consumers === 0 || consumers > MAX_CONSUMERS) return [];
  const reply = await unlessRefused(ctx.reader.read(['XINFO CONSUMERS', key, name]), []);
  const rows = reply.map(recordOf);
  const found = rows.map((row) => ({
    name: row.get('name') as Buffer,
    pending: Number(row.get('pending')),
    idleSeconds: Math.round(Number(row.get('idle')) / SECOND),
  }));
  found.sort((a, b) => Number(b.pending > 0) - Number(a.pending > 0) || b.idleSeconds - a.idleSeconds);
  return Promise.all(
    found.slice(0, MAX_SHOWN).map(async (one) => ({ ...one, name: await nameIn(ctx, access, one.name) })),
  );
};

/** Groups for an answer, with their consumers. */
export const showGroups = async (
  ctx: Shower,
  access: ValueAccess,
  key: Key,
  groups: readonly Group[],
): Promise<StreamGroup[]> => {
  const shown: StreamGroup[] = [];
  for (const group of groups.slice(0, MAX_GROUPS)) {
    const { name, pending, lag, lastDeliveredId, consumers: consumerCount } = group;
    const consumers = await readConsumers(ctx, access, key, group);
    shown.push({
      name: await nameIn(ctx, access, name),
      pending,
      lag,
      lastDeliveredId,
      consumerCount,
      consumers,
    });
  }
  return shown;
};
