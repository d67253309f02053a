import 'server-only';
import { displayBytes } from '@/lib/catalog/display';
import type { Registry } from '@/lib/catalog/registry';
import { windowState } from '@/lib/guard/window';
import type { Census } from '@/lib/history/census';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isWrongType } from '@/lib/redis/failure';
import { SECOND } from '@/lib/time';

/** Fields read of one hash: beyond it the figure would cost more than it is worth every time. */
const MOST_FIELDS = 100_000;
const PAGE = 500;
const HEAVIEST = 3;

/** Field and value of a hash in pages, at most `MOST_FIELDS`; nothing of a key of another type. */
async function* fieldsOf(handle: ConnectionHandle, key: Key): AsyncGenerator<[Buffer, Buffer]> {
  let cursor = '0';
  let seen = 0;
  do {
    const started = performance.now();
    const page = await handle.background
      .scanCollection('HSCAN', key, cursor, { count: PAGE })
      .catch((error) => {
        if (isWrongType(error)) return { elements: [], cursor: '0' };
        throw error;
      });
    for (let i = 0; i + 1 < page.elements.length; i += 2) yield [page.elements[i]!, page.elements[i + 1]!];
    seen += page.elements.length / 2;
    cursor = page.cursor;
    if (cursor !== '0') await handle.budget.spend(performance.now() - started);
  } while (cursor !== '0' && seen < MOST_FIELDS);
}

const countLimited = async (handle: ConnectionHandle, catalog: Registry): Promise<number | null> => {
  const { eventsLimit, eventsPeriodSeconds } = handle.config.hawk;
  if (eventsLimit === 0) return null;
  const limit = { limit: eventsLimit, periodSeconds: eventsPeriodSeconds };
  const now = Math.floor(Date.now() / SECOND);
  const limited = new Set<string>();
  for await (const [field, value] of fieldsOf(handle, catalog.mustGet('hawk.rate-limits').key())) {
    if (windowState(value.toString('latin1'), limit, now) === 'limited')
      limited.add(field.toString('latin1'));
  }
  return limited.size;
};

const findHeavy = async (handle: ConnectionHandle, catalog: Registry): Promise<Census['heavyIps']> => {
  const { threshold } = handle.config.hawk;
  const heavy: { field: Buffer; requests: number }[] = [];
  for await (const [field, value] of fieldsOf(handle, catalog.mustGet('hawk.current-period').key())) {
    const requests = Number(value.toString('latin1'));
    if (requests >= threshold) heavy.push({ field, requests });
  }
  if (heavy.length === 0) return [];
  heavy.sort((a, b) => b.requests - a.requests);
  const top = heavy.slice(0, PAGE);
  const blacklist = catalog.mustGet('hawk.blacklist-ips').key();
  const banned = await handle.background.readMany([
    ['SMISMEMBER', blacklist, ...top.map(({ field }) => field)],
  ]);
  const flags = banned[0] instanceof Error ? [] : banned[0];
  return top
    .filter((_, i) => flags[i] !== 1)
    .slice(0, HEAVIEST)
    .map(({ field, requests }) => ({ ip: displayBytes(field, 60), requests }));
};

/** The figures of the error collector that need more than a SCARD; nothing where the connection has no such app. */
export const measureGuard = async (
  handle: ConnectionHandle,
  catalog: Registry,
): Promise<Pick<Census, 'limitedProjects' | 'heavyIps'>> => {
  if (!handle.config.apps.includes('hawk')) return { limitedProjects: null, heavyIps: [] };
  return { limitedProjects: await countLimited(handle, catalog), heavyIps: await findHeavy(handle, catalog) };
};
