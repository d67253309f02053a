import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { fallbackFor } from '@/lib/errors';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isNotPermitted, isWrongType } from '@/lib/redis/failure';
import { entryOf, indexUserOf } from '@/lib/sessions/keys';
import { storageOf } from '@/lib/sessions/storage';

/** If an index is in use, nearly always a session of its first page is stored. */
const PAGE = 20;
/** A longer index counts as used. */
const MAX_PAGES = 50;
/** Indexes read at once: about 200 look-ups. */
const BATCH = 10;

/** Whether the index of a user's sessions has entries, but none of these sessions is stored. */
const isDangling = async (handle: ConnectionHandle, catalog: Registry, key: Key): Promise<boolean> => {
  const keyspace = { catalog, connection: handle };
  const userId = indexUserOf(keyspace, key);
  if (userId === null) return false;
  const isSorted = storageOf(keyspace).index?.type === 'zset';
  let cursor = '0';
  let entries = 0;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await handle.background
      .scanCollection(isSorted ? 'ZSCAN' : 'SSCAN', key, cursor, { count: PAGE })
      .catch(fallbackFor(isWrongType, null));
    if (!page) return false;
    const members = isSorted ? page.elements.filter((_, i) => i % 2 === 0) : page.elements;
    const sessions = members.map((member) => entryOf(keyspace, userId, member));
    // An entry of another family is a different kind of damage.
    if (sessions.some((session) => session === null)) return false;
    entries += sessions.length;
    const exists: readonly unknown[] = await handle.background.readMany(
      sessions.map((session): ReadCommand => ['EXISTS', session!.key]),
    );
    if (exists.some((reply) => reply !== 0)) return false;
    cursor = page.cursor;
    if (cursor === '0') return entries > 0;
  }
  return false;
};

/** True for a dangling index; an error where our user may not read it. */
const settle = async (handle: ConnectionHandle, catalog: Registry, key: Key): Promise<boolean | Error> => {
  try {
    return await isDangling(handle, catalog, key);
  } catch (error) {
    if (isNotPermitted(error)) return error as Error;
    throw error;
  }
};

/**
 * Which indexes of users' sessions have entries without any stored session, in order. A few at once and with the
 * pauses of scans, but outside their queue, because the caller may be in it.
 */
export const danglingAmong = async (
  handle: ConnectionHandle,
  catalog: Registry,
  keys: readonly Key[],
): Promise<(boolean | Error)[]> => {
  const results: (boolean | Error)[] = [];
  const { pauseMs } = handle.budget.limits;
  for (let from = 0; from < keys.length; from += BATCH) {
    if (from > 0 && pauseMs > 0) await sleep(pauseMs);
    const batch = keys.slice(from, from + BATCH);
    results.push(...(await Promise.all(batch.map((key) => settle(handle, catalog, key)))));
  }
  return results;
};
