import 'server-only';
import { maskedAddress } from '@/lib/calls/client-name';
import { type LoggedCall, type SlowCall, slowCalls, withCallers } from '@/lib/calls/slow-log';
import { commandTable } from '@/lib/calls/table';
import type { Registry } from '@/lib/catalog/registry';
import { ownClients } from '@/lib/redis/own-clients';
import { findingsOf, readSection } from '@/lib/redis/section';
import { readServer, readSetting } from '@/lib/redis/server-reads';
import { HOUR, iso } from '@/lib/time';
import { familyName } from './families';
import type { SlowEntry } from './schema';
import type { Source } from './source';

const MAX_ENTRIES = 30;

/** An entry without any argument: only the command's name and the families of its keys leave the server. */
const slowEntryOf = (slow: SlowCall, catalog: Registry): SlowEntry => {
  const { id, at, durationMicros, call, name, address, own } = slow;
  return {
    ...{ id: String(id), at: iso(at), durationMicros, command: call.command },
    families: call.families.map((family) => familyName(catalog, family)),
    ...{ keys: call.keys, arguments: call.arguments },
    client: name ?? maskedAddress(address),
    own,
  };
};

/** The newest slow commands. The caller hides `entries` from those without `live:view`. */
export const readSlowLog = (source: Source) =>
  readSection(async (optional) => {
    const { ctx, now } = source;
    const { connection, catalog } = ctx;
    const logged = (await readServer(connection, ['SLOWLOG', 'GET', MAX_ENTRIES])) as LoggedCall[];
    const length = Number(await readServer(connection, ['SLOWLOG', 'LEN']));
    const table = await commandTable(connection);
    const show = slowCalls(catalog, table, ownClients(connection));
    const entries = withCallers(logged.map(show)).map((each) => slowEntryOf(each, catalog));
    const thresholdMicros = await optional(readSetting(connection, 'slowlog-log-slower-than'));
    const others = entries.filter(({ own }) => !own);
    const recent = others.filter(({ at }) => Date.parse(at) >= now - HOUR);
    return {
      figures: {
        ...{ length, thresholdMicros, entries: entries as SlowEntry[] | null, lastHour: recent.length },
        maxLength: await optional(readSetting(connection, 'slowlog-max-len')),
        slowestMicros: others.length > 0 ? Math.max(...others.map((each) => each.durationMicros)) : null,
      },
      findings: findingsOf({ off: (thresholdMicros ?? 0) < 0, recent: recent.length > 0 }),
    };
  });
