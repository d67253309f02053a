import 'server-only';
import { displayBytes } from '@/lib/catalog/display';
import type { Registry } from '@/lib/catalog/registry';
import { type CommandSpec, type CommandTable, findCommand, keyIndexes } from '@/lib/redis/command-table';
import { readCommands, readServer, readSetting } from '@/lib/redis/server-reads';
import { HOUR, iso, SECOND } from '@/lib/time';
import { isOwnClient, maskedAddress, shownClientName } from './client-name';
import { familyName } from './families';
import type { SlowEntry } from './schema';
import { findingsOf, readSection } from './section';
import { sharedRead } from './shared';
import type { Source } from './source';

const MAX_ENTRIES = 30;
const MAX_KEYS = 32;
const TABLE_MS = HOUR;

type Logged = [id: number, at: number, micros: number, args: Buffer[], address?: Buffer, name?: Buffer];

/** Words that may be compared with names of commands; longer ones are values. */
const MAX_WORD = 64;
/** The server logs 31 arguments and says how many more there were. */
const MORE_ARGUMENTS = /^\.\.\. \((\d{1,9}) more arguments\)$/;

const specOf = (table: CommandTable | null, args: readonly Buffer[]) => {
  const word = (index: number): string => {
    const arg = args[index];
    return arg && arg.length <= MAX_WORD ? arg.toString('latin1').toLowerCase() : '';
  };
  const call = { count: args.length, word };
  const spec = table && findCommand(table, call);
  return { spec, call };
};

/** The name is the server's own where it is known; else it is cut, because a log holds what anybody sent. */
const commandOf = (spec: CommandSpec | null, args: readonly Buffer[]): string =>
  (spec ? spec.name.replace('|', ' ') : displayBytes(args[0] ?? Buffer.alloc(0), 30)).toUpperCase();

const keysOf = (
  spec: CommandSpec | null,
  args: readonly Buffer[],
  call: ReturnType<typeof specOf>['call'],
) => {
  if (!spec || spec.opaque) return null;
  const indexes = new Set(spec.keys.flatMap((each) => keyIndexes(each, call)));
  return [...indexes].flatMap((index) => args[index] ?? []).slice(0, MAX_KEYS);
};

const familiesOf = (catalog: Registry, keys: readonly Buffer[]): SlowEntry['families'] => {
  const ids = keys.flatMap((key) => {
    // A long argument is cut by the server, so its key may look malformed.
    const { family, malformedOf } = catalog.locate(key);
    return (family ?? malformedOf)?.id ?? [];
  });
  return [...new Set(ids)].map((id) => familyName(catalog, id));
};

/** An entry without any argument: only the command's name and the families of its keys leave the server. */
export const slowEntryOf = (logged: Logged, catalog: Registry, table: CommandTable | null): SlowEntry => {
  const [id, at, durationMicros, logArgs, address, name] = logged;
  const more = MORE_ARGUMENTS.exec(logArgs.at(-1)?.toString('latin1') ?? '');
  const args = more ? logArgs.slice(0, -1) : logArgs;
  const { spec, call } = specOf(table, args);
  const keys = keysOf(spec, args, call);
  const client = name?.length ? shownClientName(name) : maskedAddress(address?.toString('latin1') ?? '');
  return {
    ...{ id: String(id), at: iso(at * SECOND), durationMicros, command: commandOf(spec, args) },
    ...{ families: familiesOf(catalog, keys ?? []), keys: keys?.length ?? null },
    arguments: args.length - 1 + Number(more?.[1] ?? 0),
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
    const table = await optional(
      sharedRead(connection, 'commands', TABLE_MS, () => readCommands(connection)),
    );
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
