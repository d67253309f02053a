import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { displayKey } from '@/lib/keyspace/display';
import { type PageInput, pageOfRows } from '@/lib/list-page';
import { withoutStore } from '@/lib/redis/failure';
import { DAY, iso, isoOrNull } from '@/lib/time';
import type { NamedKey } from '@/lib/values/named-keys';
import { readValues, type StoredValue } from '@/lib/values/string-value';
import { flagsNeedApproval } from '@/lib/values/two-person';
import { knownFlagNames, namingOf } from './names';
import { type FlagNotes, NO_ABOUT, noteSeen, readNotes, type Unchanged, unchangedSince } from './notes';
import { readRequests, type StoredRequest, toFlagRequest } from './requests';
import { readScheduled, type ScheduledEntry, toScheduledChange } from './scheduled-changes';
import type { Flag, flagContracts } from './schema';
import { stateOf } from './state';

const STALE_AFTER = 30 * DAY;

type FlagList = Result<typeof flagContracts.list>;

interface FlagReading {
  named: NamedKey;
  value: StoredValue;
  notes: FlagNotes | null;
  /** null while the store is unreachable. */
  unchanged: Unchanged | null;
}

const toFlag = (ctx: ReadContext, { named, value, notes, unchanged }: FlagReading): Flag => {
  const change = unchanged?.change ?? null;
  return {
    name: named.name,
    key: displayKey(named.key, ctx.catalog),
    ...stateOf(named.name, value),
    type: value.type,
    ...(notes?.about ?? NO_ABOUT),
    etag: value.etag,
    ttlSeconds: value.ttlSeconds,
    updatedAt: isoOrNull(change?.at),
    updatedBy: change?.by ?? null,
    reason: change?.reason ?? null,
    stale: unchanged !== null && ctx.now() - unchanged.since >= STALE_AFTER,
    unchangedSince: unchanged && iso(unchanged.since),
    changedOutside: unchanged?.changedOutside ?? null,
    schedule: [],
    request: null,
  };
};

/** Values and notes of these flags. Notes are read first: a note newer than its value would look like an outside change. */
const readFlags = async (ctx: ReadContext, names: readonly NamedKey[]): Promise<FlagReading[]> => {
  const notes = await readNotes(
    ctx,
    names.map(({ name }) => name),
  );
  const values = await readValues(
    ctx.reader,
    names.map(({ key }) => key),
  );
  const readings = names.flatMap((named, i): FlagReading[] => {
    const value = values[i];
    if (!value) return [];
    const known = notes?.[i] ?? null;
    return [{ named, value, notes: known, unchanged: known && unchangedSince(known, value.etag, ctx.now()) }];
  });
  return withChangesMeanwhile(ctx, readings);
};

/**
 * A change through Keyward between the two reads looks like one from outside, and would be noted as such for good. So
 * the notes of new values are read again.
 */
const withChangesMeanwhile = async (
  ctx: ReadContext,
  readings: readonly FlagReading[],
): Promise<FlagReading[]> => {
  const fresh = readings.filter(({ unchanged }) => unchanged?.isNew).map(({ named }) => named.name);
  const notes = new Map((await readNotes(ctx, fresh))?.map((note, i) => [fresh[i]!, note]));
  return readings.map((reading): FlagReading => {
    const again = notes.get(reading.named.name);
    if (!again?.change || again.change.at === reading.notes?.change?.at) return reading;
    const unchanged = unchangedSince(again, reading.value.etag, ctx.now());
    // The value was replaced once more: nothing is noted, and the next read has the newer one.
    return { ...reading, notes: again, unchanged: { ...unchanged, changedOutside: false, isNew: false } };
  });
};

const noteNew = (ctx: ReadContext, readings: readonly FlagReading[]): Promise<void> =>
  noteSeen(
    ctx,
    readings.flatMap(({ named, value, notes, unchanged }) =>
      unchanged?.isNew
        ? {
            name: named.name,
            etag: value.etag,
            since: unchanged.since,
            isChange: unchanged.changedOutside,
            seenText: notes?.seenText ?? '',
          }
        : [],
    ),
  );

/** Flags by name. Values are read now, names may be as old as `indexedAt`; deleted flags are left out. */
export const listFlags = async (ctx: ReadContext, input: PageInput = {}): Promise<FlagList> => {
  const known = await knownFlagNames(ctx);
  const page = pageOfRows(known.names, input, ['string'], ({ name }) => [name]);
  const readings = await readFlags(ctx, page.items);
  const [scheduled, requests] = await Promise.all([
    readScheduled(ctx).catch(withoutStore<ScheduledEntry[]>([])),
    readRequests(ctx).catch(withoutStore<StoredRequest[]>([])),
    noteNew(ctx, readings),
  ]);
  const byName = new Map(requests.map((request) => [request.name, request]));
  const items = readings.map((observation): Flag => {
    const { name } = observation.named;
    const request = byName.get(name);
    byName.delete(name);
    return {
      ...toFlag(ctx, observation),
      schedule: scheduled.filter(({ item }) => item.target === name).map(toScheduledChange),
      request: request ? toFlagRequest(ctx, request) : null,
    };
  });
  const onPage = new Set(page.items);
  for (const named of known.names) if (!onPage.has(named)) byName.delete(named.name);
  return {
    items,
    nextCursor: page.nextCursor,
    indexedAt: iso(known.at),
    complete: known.complete,
    naming: namingOf(ctx),
    approval: flagsNeedApproval(ctx) ? 'two-person' : 'none',
    newFlags: [...byName.values()].map((request) => ({
      ...toFlagRequest(ctx, request),
      name: request.name,
    })),
  };
};
