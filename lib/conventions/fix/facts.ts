import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import { type Key, lengthCommand, type ReadCommand } from '@/lib/redis/commands';
import { MAX_SNAPSHOT_BYTES } from '@/lib/snapshots/snapshots';
import { Looks, type SeenKey } from '../looks';
import { policyOf } from '../policy/policy';
import type { KeyFacts, Policy } from '../rule';
import type { FixableRule } from '../schema';
import { mayBeNullMarker } from '../value-rules';

/** On servers before 7.2 reading a length resets the idle time of a key, so it is read only where a rule needs it. */
const NEED_LENGTHS: ReadonlySet<FixableRule> = new Set(['collection-length', 'null-marker-ttl']);

type Asked = Pick<ReadContext, 'connection' | 'catalog'>;

const numberOf = (reply: unknown): number | null => (typeof reply === 'number' ? reply : null);

/** Runs one command per key, in order; null for keys without one. */
const readEach = async (
  { connection }: Asked,
  keys: readonly Key[],
  commandOf: (key: Key, i: number) => ReadCommand | null,
): Promise<(number | null)[]> => {
  const asked = keys.flatMap((key, i) => {
    const command = commandOf(key, i);
    return command ? [{ i, command }] : [];
  });
  const out = keys.map((): number | null => null);
  if (asked.length === 0) return out;
  const replies: readonly unknown[] = await connection.background.readMany(
    asked.map(({ command }) => command),
  );
  asked.forEach(({ i }, at) => {
    out[i] = numberOf(replies[at]);
  });
  return out;
};

/** Whether a rule depends on the value of this key, which must then be read. */
const dependsOnValue = (rule: FixableRule, facts: SeenKey, policy: Policy): boolean => {
  if (rule === 'null-marker-ttl') return mayBeNullMarker({ ...facts, look: null }, policy);
  return rule === 'abandoned-keys' && facts.found.family?.role === 'session-index';
};

/** Adds facts from the values of a few keys. */
const withLooks = async (ctx: Asked, rule: FixableRule, seen: readonly SeenKey[]): Promise<KeyFacts[]> => {
  const { policy } = policyOf(ctx.connection);
  const asked = seen.filter((facts) => dependsOnValue(rule, facts, policy));
  const values = new Looks(ctx.connection, ctx.catalog, policy);
  const looked = await values.addTo(asked);
  const refusal = values.refused.get(rule);
  if (refusal) throw refusal;
  const looks = new Map(looked.map(({ key, look }) => [key, look]));
  return seen.map((facts) => ({ ...facts, look: looks.get(facts.key) ?? null }));
};

/** The facts that a rule needs about keys, read now. Vanished keys are omitted. */
export const readFacts = async (ctx: Asked, rule: FixableRule, keys: readonly Key[]): Promise<KeyFacts[]> => {
  if (keys.length === 0) return [];
  const identified = await identifyKeys(ctx.connection.background, ctx.catalog, keys);
  const replies: readonly unknown[] = await ctx.connection.background.readMany(
    keys.flatMap((key) => [['TYPE', key] as const, ['PTTL', key] as const]),
  );
  const types = keys.map((_, i) =>
    typeof replies[2 * i] === 'string' ? (replies[2 * i] as string) : 'none',
  );
  const lengths = await readEach(ctx, keys, (key, i) => {
    const command = NEED_LENGTHS.has(rule) ? lengthCommand(types[i]!) : null;
    return command ? [command, key] : null;
  });
  const seen = keys.flatMap((key, i): SeenKey[] => {
    const ttlMs = numberOf(replies[2 * i + 1]);
    if (types[i] === 'none' || ttlMs === null || ttlMs === -2) return [];
    const measured = { memoryBytes: null, length: lengths[i]!, idleSeconds: null };
    return [{ key, found: identified[i]!, type: types[i]!, ttlMs, ...measured }];
  });
  return withLooks(ctx, rule, seen);
};

/** How many of these keys are too large to copy. */
export const countTooLarge = async (ctx: Asked, keys: readonly Key[]): Promise<number> => {
  const sizes = await readEach(ctx, keys, (key) => ['MEMORY USAGE', key]);
  return sizes.filter((bytes) => bytes !== null && bytes > MAX_SNAPSHOT_BYTES).length;
};
