import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadContext } from '@/lib/command/context';
import { withoutStore } from '@/lib/redis/failure';
import { notedNames } from './change-notes';
import { type NameIndex, readNameIndex } from './name-index';
import {
  keyNamed,
  latestScan,
  type NamedFamily,
  type NamedKey,
  WALK_MS_OF_REQUEST,
  walkOf,
} from './named-keys';

export interface KnownNames {
  names: NamedKey[];
  /** Epoch ms: keys that existed then and still do are included. */
  at: number;
  /** false while a scan is running that may find newer names. */
  complete: boolean;
}

const withKeys = (ctx: ReadContext, { family }: NamedFamily, names: Iterable<string>): NamedKey[] =>
  [...new Set(names)].sort().flatMap((name) => {
    const key = keyNamed(ctx, family, name);
    return key ? [{ name, key }] : [];
  });

/** A short scan is not stored, so the store's index may be older: a list never loses names it has shown. */
const newer = (own: NameIndex | null, stored: NameIndex | null): NameIndex | null =>
  (own?.at ?? 0) > (stored?.at ?? 0) ? own : stored;

/**
 * Names of all keys of a family. If the scan takes long, returns those of the last scan plus those changed through Keyward
 * since; some may be deleted, which reading their values shows.
 */
export const knownNames = async (ctx: ReadContext, named: NamedFamily): Promise<KnownNames> => {
  const askedAt = Date.now();
  const walk = walkOf(ctx, named, {});
  const { startedAt: at } = walk;
  const walked = walk.names.then((names) => ({ names, at, complete: true }));
  const soon = await Promise.race([walked, sleep(WALK_MS_OF_REQUEST, null)]);
  if (soon && at >= askedAt) return soon;
  const { id } = ctx.connection.config;
  const index = soon
    ? null
    : newer(
        latestScan(ctx.connection, named.family),
        await readNameIndex(ctx.store, named.index, id).catch(withoutStore(null)),
      );
  // This connection was never scanned before: wait for this scan.
  if (!soon && !index) return walked;
  const known = soon ? soon.names.map(({ name }) => name) : index!.names;
  const names = withKeys(ctx, named, [...known, ...(await notedNames(ctx, named.index))]);
  // Without names no value is read, so check here that the server is reachable.
  if (names.length === 0) await ctx.reader.size();
  return { names, at: soon?.at ?? index!.at, complete: soon !== null };
};
