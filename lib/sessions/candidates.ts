import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { ahead } from '@/lib/redis/ahead';
import type { Key } from '@/lib/redis/commands';
import { canScanByScript, type ScanOptions, scanByScript, scanKeys } from '@/lib/redis/scan';
import { readSessions } from './facts';
import { deviceCheck, passes, scriptFilter } from './filter';
import { parseSessionKey, type SessionKey, sessionMatch } from './keys';
import type { Match } from './match';
import type { SessionFilter } from './schema';

/** Sessions of one chunk of a scan that may pass a filter. */
export interface Candidates {
  keys: Key[];
  /** Where the next chunk begins; null after the last. */
  cursor: string | null;
  /** Session keys looked at. */
  examined: number;
}

/** `ahead`: the next call is under way while one is looked at; for a walk to the end. */
export type From = Omit<ScanOptions, 'match'> & { ahead?: boolean };

const isEmpty = (filter: SessionFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);

/** Scans for sessions, leaving out on the server what surely does not pass; on Redis 6.2 nothing is left out. */
export async function* scanCandidates(
  ctx: ReadContext,
  filter: SessionFilter,
  { ahead: isAhead = false, ...from }: From = {},
): AsyncGenerator<Candidates> {
  const options = { ...from, match: sessionMatch(ctx) };
  if (isEmpty(filter) || !(await canScanByScript(ctx.connection))) {
    for await (const { keys, cursor } of scanKeys(ctx.connection, options))
      yield { keys, cursor, examined: keys.length };
    return;
  }
  const fixed = scriptFilter(ctx, filter);
  const device = deviceCheck(filter);
  const args = () => [...fixed, ...device.known()];
  const calls = scanByScript(ctx.connection, 'find-sessions', args, options);
  for await (const { reply, cursor } of isAhead ? ahead(calls) : calls) {
    const [examined, ...found] = reply as [number, ...Buffer[]];
    const keys: Key[] = [];
    for (let i = 0; i < found.length; i += 2) if (device.mayPass(found[i + 1]!)) keys.push(found[i]!);
    yield { keys, cursor, examined };
  }
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
