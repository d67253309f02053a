import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Arg, Key, ReadCommand } from '@/lib/redis/commands';
import { readScript } from '@/lib/redis/read-script';
import type { SessionKey } from './keys';
import type { Session } from './schema';
import { FIELD_LIMITS, FIELDS, type FieldName, type SessionFacts, toSession } from './view';

const numberOr = (reply: unknown, fallback: number): number => (typeof reply === 'number' ? reply : fallback);

/** Keys per script call, each about 8 µs of the server's time. */
const BATCH_SIZE = 50;

const FIELD_ARGS: readonly Arg[] = [
  FIELDS.length,
  ...FIELDS.flatMap((name): Arg[] => [name, FIELD_LIMITS[name]]),
];

const fromScript = (reply: unknown): SessionFacts | null => {
  const [pttl, fieldCount, indexed, ...values] = reply as [number, number, number, ...(Buffer | number)[]];
  if (pttl === undefined) return null;
  const fields: SessionFacts['fields'] = {};
  values.forEach((value, i) => {
    if (value !== 0) fields[FIELDS[i]!] = typeof value === 'number' ? null : value;
  });
  return {
    type: fieldCount < 0 ? 'other' : 'hash',
    pttl,
    fieldCount: Math.max(fieldCount, 0),
    indexed: indexed === 1,
    fields,
  };
};

const byScript = async (
  ctx: ReadContext,
  keys: readonly SessionKey[],
): Promise<(SessionFacts | null)[] | null> => {
  const named: Key[] = keys.flatMap(({ key, index }) => [key, index ?? key]);
  const starts = keys.map(({ key, index, token }) => (index === null ? 0 : key.length - token.length + 1));
  const replies = await readScript(ctx.connection, 'read-sessions', named, [...FIELD_ARGS, ...starts]);
  return replies?.map(fromScript) ?? null;
};

/** Per key: type, TTL, size, and the lengths of the fields, so that the next step loads nothing large. */
const PROBES = 3 + FIELDS.length;
const probesOf = ({ key }: SessionKey): ReadCommand[] => [
  ['TYPE', key],
  ['PTTL', key],
  ['HLEN', key],
  ...FIELDS.map((field): ReadCommand => ['HSTRLEN', key, field]),
];

interface Probe {
  type: string;
  pttl: number;
  fieldCount: number;
  lengths: Partial<Record<FieldName, number>>;
}

const toProbe = (replies: readonly unknown[]): Probe => {
  const [type, pttl, fieldCount, ...lengths] = replies;
  // A key that may not be read may exist, so it must not count as missing.
  if (type instanceof Error) throw type;
  const found = FIELDS.map((field, i) => [field, numberOr(lengths[i], 0)] as const);
  return {
    type: typeof type === 'string' ? type : 'none',
    pttl: numberOr(pttl, -2),
    fieldCount: numberOr(fieldCount, 0),
    lengths: Object.fromEntries(found.filter(([, length]) => length > 0)),
  };
};

const loadable = ({ lengths }: Probe): FieldName[] =>
  FIELDS.filter((field) => lengths[field] !== undefined && lengths[field] <= FIELD_LIMITS[field]);

const readProbes = async (ctx: ReadContext, keys: readonly SessionKey[]): Promise<Probe[]> => {
  const replies: readonly unknown[] = await ctx.reader.readMany(keys.flatMap(probesOf));
  return keys.map((_, i) => toProbe(replies.slice(i * PROBES, (i + 1) * PROBES)));
};

const readIndexed = async (ctx: ReadContext, keys: readonly SessionKey[]): Promise<Set<SessionKey>> => {
  const named = keys.filter((key) => key.index !== null);
  const replies: readonly unknown[] = await ctx.reader.readMany(
    named.map((key): ReadCommand => ['SISMEMBER', key.index!, key.token]),
  );
  return new Set(named.filter((_, i) => replies[i] === 1));
};

/** The same with commands, in two round trips for all keys together. */
const byCommands = async (
  ctx: ReadContext,
  keys: readonly SessionKey[],
): Promise<(SessionFacts | null)[]> => {
  const [probes, indexed] = await Promise.all([readProbes(ctx, keys), readIndexed(ctx, keys)]);
  const commands = keys.flatMap((key, i): ReadCommand[] => {
    const fields = loadable(probes[i]!);
    return fields.length > 0 ? [['HMGET', key.key, ...fields]] : [];
  });
  const replies: readonly unknown[] = await ctx.reader.readMany(commands);
  let next = 0;
  return keys.map((key, i) => {
    const probe = probes[i]!;
    const facts: SessionFacts = { ...probe, indexed: indexed.has(key), fields: {} };
    for (const field of Object.keys(probe.lengths) as FieldName[]) facts.fields[field] = null;
    const loaded = loadable(probe);
    const values = loaded.length > 0 ? replies[next++] : [];
    if (Array.isArray(values)) {
      loaded.forEach((field, at) => {
        facts.fields[field] = values[at] ?? undefined;
      });
    }
    return probe.type === 'none' || probe.pttl === -2 ? null : facts;
  });
};

/** The facts about each session; null for one that no longer exists. */
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

/** As displayed; null for a session that no longer exists. */
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
