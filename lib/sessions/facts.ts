import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Arg, Key } from '@/lib/redis/commands';
import { readScript } from '@/lib/redis/read-script';
import { isMember, membershipOf } from './index-entries';
import type { SessionKey } from './keys';
import { readOwn } from './owners';
import type { Session } from './schema';
import { FACT_LIMITS, type SessionStorage } from './storage';
import { type SessionFacts, toSession } from './view';

/** Keys per script call, each about 8 µs of the server's time. */
const BATCH_SIZE = 50;

const fieldArgs = ({ facts }: SessionStorage): Arg[] => [
  facts.length,
  ...facts.flatMap(({ name, field }): Arg[] => [field, FACT_LIMITS[name]]),
];

const fromScript = ({ facts }: SessionStorage, reply: unknown): SessionFacts | null => {
  const [pttl, fieldCount, indexed, ...values] = reply as [number, number, number, ...(Buffer | number)[]];
  if (pttl === undefined) return null;
  const fields: SessionFacts['fields'] = {};
  values.forEach((value, i) => {
    if (value !== 0) fields[facts[i]!.name] = typeof value === 'number' ? null : value;
  });
  return {
    readable: fieldCount >= 0,
    pttl,
    fieldCount: Math.max(fieldCount, 0),
    indexed: indexed === 1,
    fields,
  };
};

const readIndexed = async (ctx: ReadContext, keys: readonly SessionKey[]): Promise<Set<SessionKey>> => {
  const named = keys.filter((key) => key.index !== null);
  const replies: readonly unknown[] = await ctx.reader.readMany(named.map(membershipOf));
  return new Set(named.filter((_, i) => isMember(replies[i])));
};

/** In a cluster each session is read by itself, and its index, which may be on another node, by a command. */
const apart = async (
  ctx: ReadContext,
  storage: SessionStorage,
  keys: readonly SessionKey[],
): Promise<(SessionFacts | null)[] | null> => {
  const args = [...fieldArgs(storage), 0];
  const [replies, indexed] = await Promise.all([
    Promise.all(keys.map(({ key }) => readScript(ctx.connection, 'read-sessions', [key, key], args))),
    readIndexed(ctx, keys),
  ]);
  if (replies.some((reply) => reply === null)) return null;
  return keys.map((key, i) => {
    const facts = fromScript(storage, replies[i]![0]);
    return facts && { ...facts, indexed: indexed.has(key) };
  });
};

const byScript = async (
  ctx: ReadContext,
  keys: readonly SessionKey[],
): Promise<(SessionFacts | null)[] | null> => {
  const { storage } = keys[0]!;
  if (!storage.classic) return null;
  if (ctx.connection.topology.kind === 'cluster') return apart(ctx, storage, keys);
  const named: Key[] = keys.flatMap(({ key, index }) => [key, index ?? key]);
  const starts = keys.map(({ key, index, token }) => (index === null ? 0 : key.length - token.length + 1));
  const replies = await readScript(ctx.connection, 'read-sessions', named, [
    ...fieldArgs(storage),
    ...starts,
  ]);
  return replies?.map((reply) => fromScript(storage, reply)) ?? null;
};

/** Reads by commands; a session that belongs to another user now counts as missing. */
const byCommands = async (
  ctx: ReadContext,
  keys: readonly SessionKey[],
): Promise<(SessionFacts | null)[]> => {
  const [values, indexed] = await Promise.all([readOwn(ctx, keys), readIndexed(ctx, keys)]);
  return keys.map((key, i) => {
    const value = values[i];
    return value ? { ...value, indexed: indexed.has(key) } : null;
  });
};

/** The facts of each session; null for one that no longer exists. */
export const readFacts = async (
  ctx: ReadContext,
  keys: readonly SessionKey[],
): Promise<(SessionFacts | null)[]> => {
  const chunks: SessionKey[][] = [];
  for (let from = 0; from < keys.length; from += BATCH_SIZE) chunks.push(keys.slice(from, from + BATCH_SIZE));
  const read = await Promise.all(
    chunks.map(async (chunk) => (await byScript(ctx, chunk)) ?? byCommands(ctx, chunk)),
  );
  return read.flat();
};

/** In displayed form; null for a session that no longer exists. */
export const readSessions = async (
  ctx: ReadContext,
  keys: readonly SessionKey[],
): Promise<(Session | null)[]> => {
  const facts = await readFacts(ctx, keys);
  return keys.map((key, i) => {
    const known = facts[i];
    return known ? toSession(key, known, ctx.now()) : null;
  });
};
