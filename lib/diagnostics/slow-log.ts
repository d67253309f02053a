import 'server-only';
import { maskedAddress } from '@/lib/calls/client-name';
import { type LoggedCall, type SlowCall, slowCalls, withCallers } from '@/lib/calls/slow-log';
import { commandTable } from '@/lib/calls/table';
import type { Registry } from '@/lib/keyspace/registry';
import { agreed, fromPrimaries, nameBesideOthers } from '@/lib/redis/each-primary';
import { ownClients } from '@/lib/redis/own-clients';
import { findingsOf, type Optional, readSection } from '@/lib/redis/section';
import { readServer, readSetting } from '@/lib/redis/server-reads';
import type { Node } from '@/lib/redis/topology';
import { HOUR, iso } from '@/lib/time';
import { familyName } from './families';
import type { SlowEntry } from './schema';
import type { Source } from './source';

const MAX_ENTRIES = 30;

/** An entry without arguments: only the command's name and the families of its keys leave the server. */
const slowEntryOf = (slow: SlowCall, node: string | null, catalog: Registry): SlowEntry => {
  const { id, at, durationMicros, call, name, address, own } = slow;
  return {
    id: node === null ? String(id) : `${id}@${node}`,
    node,
    at: iso(at),
    durationMicros,
    command: call.command,
    families: call.families.map((family) => familyName(catalog, family)),
    keys: call.keys,
    arguments: call.arguments,
    client: name ?? maskedAddress(address),
    own,
  };
};

const readNode = async (source: Source, node: Node, optional: Optional) => {
  const { connection, catalog } = source.ctx;
  const logged = (await readServer(connection, node, ['SLOWLOG', 'GET', MAX_ENTRIES])) as LoggedCall[];
  const length = Number(await readServer(connection, node, ['SLOWLOG', 'LEN']));
  const show = slowCalls(catalog, await commandTable(connection), ownClients(node));
  const place = nameBesideOthers(connection, node);
  return {
    length,
    entries: withCallers(logged.map(show)).map((call) => slowEntryOf(call, place, catalog)),
    thresholdMicros: await optional(readSetting(connection, node, 'slowlog-log-slower-than')),
    maxLength: await optional(readSetting(connection, node, 'slowlog-max-len')),
  };
};

/** The newest slow commands. The caller hides `entries` from users without `live:view`. */
export const readSlowLog = (source: Source) =>
  readSection(async (optional) => {
    const { answers } = await fromPrimaries(source.ctx.connection, (node) =>
      readNode(source, node, optional),
    );
    const logs = answers.map(({ value }) => value);
    const slowest = logs.flatMap(({ entries }) => entries);
    // The log of one server is already sorted.
    if (logs.length > 1) slowest.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
    const entries = slowest.slice(0, MAX_ENTRIES);
    const thresholds = logs.map(({ thresholdMicros }) => thresholdMicros);
    const others = entries.filter(({ own }) => !own);
    const recent = others.filter(({ at }) => Date.parse(at) >= source.now - HOUR);
    return {
      figures: {
        length: logs.reduce((sum, log) => sum + log.length, 0),
        thresholdMicros: agreed(thresholds),
        entries: entries as SlowEntry[] | null,
        lastHour: recent.length,
        maxLength: agreed(logs.map(({ maxLength }) => maxLength)),
        slowestMicros: others.length > 0 ? Math.max(...others.map((call) => call.durationMicros)) : null,
      },
      findings: findingsOf({
        off: thresholds.some((threshold) => (threshold ?? 0) < 0),
        recent: recent.length > 0,
      }),
    };
  });
