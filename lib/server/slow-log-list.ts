import 'server-only';
import type { SlowCall } from '@/lib/calls/slow-log';
import type { ReadOf } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import type { Registry } from '@/lib/keyspace/registry';
import { pageOfRows } from '@/lib/list-page';
import { orRefused } from '@/lib/redis/section';
import { iso } from '@/lib/time';
import type { SlowGroup, SlowLogEntry, serverContracts } from './schema';
import { type LoggedEntry, readSlowLog } from './slow-log';

type List = Input<typeof serverContracts.slowLog>;

const MAX_GROUPS = 100;

const titleOf = (catalog: Registry, family: string): string => catalog.get(family)?.title ?? family;

const shownEntry = (entry: LoggedEntry, catalog: Registry): SlowLogEntry => {
  const { id, at, durationMicros, call, name, address, own, saysKeyward, inScript, node } = entry;
  return {
    id: node === null ? String(id) : `${id}@${node}`,
    node,
    at: iso(at),
    durationMicros,
    command: call.command,
    family: call.families[0] ?? null,
    families: call.families.map((family) => ({ family, title: titleOf(catalog, family) })),
    keys: call.keys,
    arguments: call.shown,
    argumentsTotal: call.arguments,
    client: { name, address: address || null },
    own,
    saysKeyward,
    inScript,
  };
};

/** Entries grouped by each of their ids, sorted by total time. */
const groupsOf = (
  entries: readonly SlowCall[],
  idsOf: (entry: SlowCall) => readonly (string | null)[],
  title: (id: string) => string,
): SlowGroup[] => {
  const groups = new Map<string | null, SlowGroup>();
  for (const entry of entries) {
    for (const id of idsOf(entry)) {
      const known = groups.get(id);
      const group = known ?? {
        id,
        title: id === null ? null : title(id),
        entries: 0,
        totalMicros: 0,
        maxMicros: 0,
      };
      if (!known) groups.set(id, group);
      group.entries += 1;
      group.totalMicros += entry.durationMicros;
      group.maxMicros = Math.max(group.maxMicros, entry.durationMicros);
    }
  }
  return [...groups.values()].sort((a, b) => b.totalMicros - a.totalMicros).slice(0, MAX_GROUPS);
};

const filterOf = ({ family, command, minMicros = 0, q = '' }: List) => {
  const wanted = command?.toUpperCase();
  const text = q.trim().toLowerCase();
  const isIn = (shown: string | null): boolean => shown?.toLowerCase().includes(text) === true;
  const hasText = ({ call, name, address }: SlowCall): boolean =>
    isIn(call.command) || isIn(name) || isIn(address) || call.shown.some((argument) => isIn(argument.text));
  return (entry: SlowCall): boolean =>
    (family === undefined || entry.call.families.includes(family)) &&
    (wanted === undefined || entry.call.command === wanted) &&
    entry.durationMicros >= minMicros &&
    (text === '' || hasText(entry));
};

const NOTHING = {
  entries: [],
  length: null,
  thresholdMicros: null,
  maxLength: null,
  missing: [],
  missingNodes: [],
};
const SHAPE = ['number', 'number', 'string'] as const;

/** slowlog.list */
export const listSlowLog: ReadOf<typeof serverContracts.slowLog> = async (ctx, input) => {
  const { catalog } = ctx;
  const { value, refused } = await orRefused(readSlowLog(ctx));
  const { at, entries, length, ...settings } = value ?? { ...NOTHING, at: ctx.now() };
  const counted = input.own ? entries : entries.filter(({ own }) => !own);
  const rows = counted.filter(filterOf(input));
  const { items, nextCursor } = pageOfRows(rows, input, SHAPE, ({ id, at, durationMicros, node }) => {
    // Within one log sorted by id, because its clock may have been set back.
    const newest = node === null ? 0 : -at;
    return [input.order === 'newest' ? newest : -durationMicros, -id, node ?? ''];
  });
  return {
    items: items.map((entry) => shownEntry(entry, catalog)),
    nextCursor,
    readAt: iso(at),
    length,
    ...settings,
    read: refused ? null : entries.length,
    total: refused ? null : rows.length,
    byFamily: groupsOf(
      counted,
      ({ call }) => (call.families.length > 0 ? call.families : [null]),
      (id) => titleOf(catalog, id),
    ),
    byCommand: groupsOf(
      counted,
      ({ call }) => [call.command],
      (id) => id,
    ),
    refused,
  };
};
