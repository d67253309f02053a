import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { canScanByScript, type Picked, type ScanOptions, scanByScript, scanKeys } from '@/lib/redis/scan';
import { readSessions } from './facts';
import { deviceCheck, passes, scriptFilter } from './filter';
import { parseSessionKey, type SessionKey, sessionMatch } from './keys';
import type { Match, SourceChunk } from './match';
import type { SessionFilter } from './schema';

export type From = Omit<ScanOptions, 'match'>;

/** Keys that match a pattern, as they are. */
export async function* keysFrom(ctx: ReadContext, match: string, from: From): AsyncGenerator<SourceChunk> {
  for await (const { keys, ...place } of scanKeys(ctx.connection, { ...from, match }))
    yield { elements: keys, examined: keys.length, ...place };
}

const isEmpty = (filter: SessionFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);

/** With a script that leaves out on the server what surely does not pass. */
async function* pickCandidates(
  ctx: ReadContext,
  filter: SessionFilter,
  from: From,
): AsyncGenerator<SourceChunk> {
  const match = sessionMatch(ctx);
  const fixed = scriptFilter(ctx, filter);
  const device = deviceCheck(filter);
  const args = () => [...fixed, ...device.known()];
  const mayPass = (picked: readonly Picked[]): Key[] =>
    picked.filter(({ beside }) => device.mayPass(beside)).map(({ key }) => key);
  const calls = scanByScript(ctx.connection, 'find-sessions', args, { ...from, match });
  for await (const { picked, ...rest } of calls) yield { elements: mayPass(picked), ...rest };
}

/** Scans for sessions, leaving out on the server what surely does not pass; on Redis 6.2 nothing is left out. */
export async function* scanCandidates(
  ctx: ReadContext,
  filter: SessionFilter,
  from: From = {},
): AsyncGenerator<SourceChunk> {
  if (isEmpty(filter) || !(await canScanByScript(ctx.connection)))
    yield* keysFrom(ctx, sessionMatch(ctx), from);
  else yield* pickCandidates(ctx, filter, from);
}

/** The candidates in their order; null for what does not pass, is gone, or is no session. */
export const readMatches = async (
  ctx: ReadContext,
  keys: readonly Key[],
  filter: SessionFilter,
): Promise<(Match | null)[]> => {
  const parsed = keys.map((key) => parseSessionKey(ctx, key));
  const wanted = parsed.filter((key): key is SessionKey => key !== null);
  const sessions = await readSessions(ctx, wanted);
  const now = ctx.now();
  let next = 0;
  return parsed.map((key) => {
    const session = key && sessions[next++];
    return key && session && passes(session, filter, now) ? { key, legacy: null, session } : null;
  });
};
