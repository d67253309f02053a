import 'server-only';
import { isOwnClient, maskedAddress, shownClientName } from '@/lib/calls/client-name';
import { showCall } from '@/lib/calls/shown-call';
import { commandTable } from '@/lib/calls/table';
import type { Registry } from '@/lib/catalog/registry';
import type { CommandTable } from '@/lib/redis/command-table';
import { parseCall } from '@/lib/redis/parsed-call';
import { readServer, readSetting } from '@/lib/redis/server-reads';
import { HOUR, iso, SECOND } from '@/lib/time';
import { familyName } from './families';
import type { SlowEntry } from './schema';
import { findingsOf, readSection } from './section';
import type { Source } from './source';

const MAX_ENTRIES = 30;

type Logged = [id: number, at: number, micros: number, args: Buffer[], address?: Buffer, name?: Buffer];

/** The server logs 31 arguments and says how many more there were. */
const MORE_ARGUMENTS = /^\.\.\. \((\d{1,9}) more arguments\)$/;

/** An entry without any argument: only the command's name and the families of its keys leave the server. */
export const slowEntryOf = (logged: Logged, catalog: Registry, table: CommandTable | null): SlowEntry => {
  const [id, at, durationMicros, logArgs, address, name] = logged;
  const more = MORE_ARGUMENTS.exec(logArgs.at(-1)?.toString('latin1') ?? '');
  const args = more ? logArgs.slice(0, -1) : logArgs;
  const call = showCall(parseCall(table, args), catalog);
  const client = name?.length ? shownClientName(name) : maskedAddress(address?.toString('latin1') ?? '');
  return {
    ...{ id: String(id), at: iso(at * SECOND), durationMicros, command: call.command },
    ...{ families: call.families.map((family) => familyName(catalog, family)), keys: call.keys },
    arguments: call.arguments + Number(more?.[1] ?? 0),
    ...{ client, own: isOwnClient(name?.toString('latin1') ?? '') },
  };
};

/** The newest slow commands. The caller hides `entries` from those without `live:view`. */
export const readSlowLog = (source: Source) =>
  readSection(async (optional) => {
    const { ctx, now } = source;
    const { connection, catalog } = ctx;
    const logged = (await readServer(connection, ['SLOWLOG', 'GET', MAX_ENTRIES])) as Logged[];
    const length = Number(await readServer(connection, ['SLOWLOG', 'LEN']));
    const table = await optional(commandTable(connection));
    const entries = logged.map((each) => slowEntryOf(each, catalog, table));
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
