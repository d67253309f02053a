import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import { withDetail } from '@/lib/errors';
import { walkWithRestart } from '@/lib/redis/server-process';
import { SECOND } from '@/lib/time';
import { textOf } from '@/lib/values/string-value';
import { changeIndex, changeOwned, indexFor, isApart } from '../change';
import { staleEntriesOf } from '../index-entries';
import type { SessionKey } from '../keys';
import { unlinkKeys } from '../keyspace';
import { factIn, ghostFact } from '../storage';
import { ANY_OWNER, ownedBy } from '../stored-values';
import { type SurveyChunk, type Surveyed, survey } from '../survey';
import { readTime } from '../times';
import { isGhost } from '../view';
import { REPAIRS, type RepairKind, type RepairResult } from './schema';

export interface RepairHooks {
  signal?: AbortSignal;
  /** Called before each step with the number of examined keys and of keys about to change. */
  before(examined: number, next: number): Promise<void>;
}

type Counts = Record<RepairKind, number>;

const none = (): Counts => ({ staleIndex: 0, unindexed: 0, ghost: 0, legacy: 0, noTtl: 0 });

/**
 * Whether a session has this kind of damage. A ghost is removed, but not indexed or given a TTL; a key that violates
 * the grammar or has another type is left for users to decide.
 */
const hasDamage = ({ key, facts, states }: Surveyed, kind: 'ghost' | 'unindexed' | 'noTtl'): boolean =>
  states.includes(kind) &&
  (kind === 'ghost' || (key.wellFormed && key.userId !== null && facts.readable && !isGhost(key, facts)));

interface Run {
  counts: Counts;
  /** Sessions that an earlier kind ended or would end; later kinds skip them. */
  over: Set<Surveyed>;
  repaired: Counts;
  ended: number;
  left: number;
}

const runScript = async (
  ctx: WriteContext,
  name: string,
  session: SessionKey,
  args: readonly (string | number | Buffer)[] = [],
): Promise<number> => {
  const keys = [session.key, indexFor(ctx, session)];
  const [state] = await ctx.writer.run(name, keys, [session.token, ...args]);
  return Number(state);
};

/** The maximum lifetime of a session by the catalog, ms; null where sessions need not expire. */
const lifeOf = ({ storage }: SessionKey): number | null => {
  const { ttl } = storage.family;
  if (typeof ttl === 'string') return null;
  return ('seconds' in ttl ? ttl.seconds : ttl.maxSeconds) * SECOND;
};

const createdOf = ({ facts }: Surveyed): string | null =>
  facts.fields.createdAt ? textOf(facts.fields.createdAt) : null;

/** The rest of the lifetime since creation, ms; at most the whole, even if the creation is in the future. */
const timeLeft = (session: Surveyed, now: number): number | null => {
  const life = lifeOf(session.key);
  const at = readTime(createdOf(session), session.key.storage.units.createdAt);
  return at === null || life === null ? null : Math.min(Math.ceil(at + life - now), life);
};

/** Like the scripts for hashes with the user in their key: the value must still equal what was read. */
const changeValue = async (
  ctx: WriteContext,
  { key, facts: { owner, unchanged } }: Surveyed,
  kind: 'ghost' | 'unindexed' | 'noTtl',
  leftMs = 0,
): Promise<number> => {
  const expected = kind === 'unindexed' && key.storage.userParam === null ? owner : unchanged;
  const action = kind === 'ghost' ? 'revoke' : kind === 'unindexed' ? 'index' : 'expire';
  // The sort value of the index is unknown.
  if (!expected || (kind === 'unindexed' && key.storage.index?.type === 'zset')) return 0;
  return (await changeOwned(ctx, key, { action, expected, leftMs })).session;
};

const setTtl = async (ctx: WriteContext, session: Surveyed, run: Run): Promise<boolean> => {
  const { key } = session;
  const left = timeLeft(session, ctx.now());
  if (left === null) return false;
  const field = factIn(key.storage, 'createdAt')?.field ?? '';
  const state = key.storage.classic
    ? await runScript(ctx, 'set-session-ttl', key, [field, createdOf(session)!, left])
    : await changeValue(ctx, session, 'noTtl', left);
  const changesIndex = key.storage.classic && isApart(ctx, key);
  if (changesIndex && state === 1) await changeIndex(ctx, key, 'keep', left);
  if (state === 2) {
    if (changesIndex) await changeIndex(ctx, key, 'remove');
    run.ended += 1;
    run.over.add(session);
  }
  return state > 0;
};

/**
 * What setting missing TTLs would do: which sessions are older than their lifetime, and which lack a readable creation
 * time.
 */
const previewTtls = (ctx: WriteContext, damaged: readonly Surveyed[], run: Run): void => {
  for (const session of damaged) {
    const left = timeLeft(session, ctx.now());
    if (left === null) run.left += 1;
    else if (left <= 0) {
      run.ended += 1;
      run.over.add(session);
    }
  }
};

const removeGhost = async (ctx: WriteContext, key: SessionKey, field: string): Promise<boolean> => {
  const isRemoved = (await runScript(ctx, 'remove-ghost', key, [field])) === 1;
  if (isRemoved && isApart(ctx, key)) await changeIndex(ctx, key, 'remove');
  return isRemoved;
};

const addToIndex = async (ctx: WriteContext, key: SessionKey, field: string): Promise<boolean> => {
  // Where the index is in another slot the script only checks: a session's own key cannot be its index (-1).
  const state = await runScript(ctx, 'index-session', key, [field]);
  if (!isApart(ctx, key) || state !== -1) return state === 1;
  const left = await ctx.reader.read(['PTTL', key.key]);
  return left !== -2 && (await changeIndex(ctx, key, 'add', left)) === 1;
};

const repairSession = async (
  ctx: WriteContext,
  kind: 'ghost' | 'unindexed' | 'noTtl',
  one: Surveyed,
  run: Run,
): Promise<boolean> => {
  if (kind === 'noTtl') return setTtl(ctx, one, run);
  if (!one.key.storage.classic) return (await changeValue(ctx, one, kind)) === 1;
  const field = ghostFact(one.key.storage)?.field ?? '';
  return kind === 'ghost' ? removeGhost(ctx, one.key, field) : addToIndex(ctx, one.key, field);
};

/** Removes an entry whose session still does not exist, or belongs to another user. */
const unindex = async (ctx: WriteContext, entry: SessionKey): Promise<boolean> => {
  if (entry.storage.classic && isApart(ctx, entry)) {
    if ((await ctx.reader.read(['EXISTS', entry.key])) === 1) return false;
    return (await changeIndex(ctx, entry, 'remove')) === 1;
  }
  if (entry.storage.classic) return (await runScript(ctx, 'unindex-stale', entry)) === 1;
  const expected = entry.storage.userParam === null ? ownedBy(entry.userId!) : ANY_OWNER;
  return (await changeOwned(ctx, entry, { action: 'unindex', expected })).entry === 1;
};

/** TTLs first, because an index takes over its sessions' TTL. */
const SESSION_KINDS = ['ghost', 'noTtl', 'unindexed'] as const;

const ofSessions = async (
  ctx: WriteContext,
  chunk: SurveyChunk,
  kinds: ReadonlySet<RepairKind>,
  act: boolean,
  run: Run,
): Promise<void> => {
  run.over.clear();
  for (const kind of SESSION_KINDS) {
    if (!kinds.has(kind)) continue;
    const damaged = chunk.sessions.filter((session) => hasDamage(session, kind) && !run.over.has(session));
    run.counts[kind] += damaged.length;
    if (!act) {
      if (kind === 'noTtl') previewTtls(ctx, damaged, run);
      continue;
    }
    const done = await Promise.all(damaged.map((session) => repairSession(ctx, kind, session, run)));
    const repaired = done.filter(Boolean).length;
    run.repaired[kind] += repaired;
    run.left += damaged.length - repaired;
  }
};

const ofLegacy = async (
  ctx: WriteContext,
  { legacy }: SurveyChunk,
  act: boolean,
  run: Run,
): Promise<void> => {
  run.counts.legacy += legacy.length;
  if (!act) return;
  run.repaired.legacy += await unlinkKeys(ctx, legacy);
};

const ofIndexes = async (
  ctx: WriteContext,
  { indexes }: SurveyChunk,
  act: boolean,
  run: Run,
): Promise<void> => {
  for await (const entries of staleEntriesOf(ctx, indexes)) {
    run.counts.staleIndex += entries.length;
    if (!act) continue;
    const done = await Promise.all(entries.map((entry) => unindex(ctx, entry)));
    const repaired = done.filter(Boolean).length;
    run.repaired.staleIndex += repaired;
    run.left += entries.length - repaired;
  }
};

/** Scans once: counts, and repairs if `act`. */
const walk = async (
  ctx: WriteContext,
  kinds: ReadonlySet<RepairKind>,
  act: boolean,
  hooks: RepairHooks,
): Promise<Run> => {
  const run: Run = { counts: none(), repaired: none(), over: new Set(), ended: 0, left: 0 };
  let examined = 0;
  // Repaired sessions are not found again; everything else is counted again.
  const restarted = () => {
    run.counts = { ...run.repaired };
    run.left = 0;
    if (!act) run.ended = 0;
  };
  const chunks = () => survey(ctx, { signal: hooks.signal });
  try {
    for await (const chunk of walkWithRestart(ctx.connection, chunks, { restarted, signal: hooks.signal })) {
      const next = chunk.sessions.length + chunk.legacy.length + chunk.indexes.length;
      await hooks.before(examined, act ? next : 0);
      await ofSessions(ctx, chunk, kinds, act, run);
      if (kinds.has('legacy')) await ofLegacy(ctx, chunk, act, run);
      if (kinds.has('staleIndex')) await ofIndexes(ctx, chunk, act, run);
      examined += chunk.examined;
    }
  } catch (error) {
    throw act ? withDetail(error, `Repaired before: ${sumOf(run.repaired)}.`) : error;
  }
  return run;
};

const only = (counts: Counts, kinds: ReadonlySet<RepairKind>): RepairResult['before'] =>
  Object.fromEntries(REPAIRS.filter((kind) => kinds.has(kind)).map((kind) => [kind, counts[kind]]));

const sumOf = (counts: RepairResult['before']): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/**
 * Repairs what applications leave behind and counts again. A session older than its lifetime is ended, counted in
 * `ended`; one without a readable creation time is unchanged. A dry run only counts, including `ended` and `left`.
 */
export const repair = async (
  ctx: WriteContext,
  { kinds: wanted, dryRun }: { kinds: readonly RepairKind[]; dryRun: boolean },
  hooks: RepairHooks,
): Promise<RepairResult> => {
  const kinds = new Set(wanted);
  const first = await walk(ctx, kinds, !dryRun, hooks);
  const after = dryRun
    ? first
    : await walk(ctx, kinds, false, hooks).catch((error: unknown) => {
        const repaired = sumOf(first.repaired);
        throw withDetail(error, `Repaired before: ${repaired}. Whether any remain is not known.`);
      });
  const [found, left] = [only(first.counts, kinds), only(after.counts, kinds)];
  return {
    dryRun,
    found: sumOf(found),
    before: found,
    repaired: only(first.repaired, kinds),
    after: left,
    remaining: sumOf(left),
    ended: first.ended,
    left: first.left,
  };
};
