import 'server-only';
import { type ShownCall, showCall } from '@/lib/calls/shown-call';
import { displayKey, maskedName } from '@/lib/keyspace/display';
import type { Registry } from '@/lib/keyspace/registry';
import { type CommandTable, findCommand, keyIndexes } from '@/lib/redis/command-table';
import type { MonitorLine } from '@/lib/redis/monitor-line';
import { parseCall } from '@/lib/redis/parsed-call';
import { patternOfUnknown } from './pattern';

/** Keys of a call that are examined; a call may have thousands. */
const MAX_KEYS = 64;
/** Arguments that are parsed to display a call. */
const MAX_ARGUMENTS = 80;
const MAX_SHOWN = 300;

export const UNCLASSIFIED = 'unclassified';

export interface Call {
  /** The server's name for it, `config|get`; null for an unknown command. */
  command: string | null;
  /** The families of its keys, each once; null where the server does not define which arguments are keys. */
  families: string[] | null;
  /** The patterns of its keys, each once, with their family. */
  patterns: Map<string, string>;
  /** Null where the server does not define which arguments are keys. */
  keys: Buffer[] | null;
}

const keysOf = (table: CommandTable, line: MonitorLine): Pick<Call, 'command' | 'keys'> => {
  const spec = findCommand(table, line);
  if (!spec || spec.opaque) return { command: spec?.name ?? null, keys: null };
  const indexes = [...new Set(spec.keys.flatMap((keySpec) => keyIndexes(keySpec, line)))];
  const keys = indexes.slice(0, MAX_KEYS).flatMap((index) => line.bytes(index) ?? []);
  return { command: spec.name, keys };
};

/** How a line of MONITOR is counted. */
export const callOf = (table: CommandTable, line: MonitorLine, catalog: Registry): Call => {
  const { command, keys } = keysOf(table, line);
  const patterns = new Map<string, string>();
  for (const key of keys ?? []) {
    const { family, malformedOf } = catalog.locate(key);
    const owner = family ?? malformedOf;
    if (owner) patterns.set(owner.pattern, owner.id);
    else patterns.set(patternOfUnknown(displayKey(key, catalog)), UNCLASSIFIED);
  }
  return { command, keys, patterns, families: keys && [...new Set(patterns.values())] };
};

/** Whether the displayed name of a key contains `text`, which is in lower case. */
export const namesKey = ({ keys }: Call, text: string, catalog: Registry): boolean =>
  keys?.some((key) => maskedName(key, catalog).toLowerCase().includes(text)) ?? false;

/** A call as text, without any value. */
export const wordsOf = (table: CommandTable, args: readonly Buffer[], catalog: Registry) =>
  inWords(showCall(parseCall(table, args), catalog));

export const inWords = ({ command, shown, arguments: count, keys, families }: ShownCall) => {
  const words = shown.map(({ text }) => text).join(' ');
  const text = words.length > MAX_SHOWN ? `${words.slice(0, MAX_SHOWN)}…` : words;
  const more = count > shown.length && !text.endsWith('…');
  return { command, arguments: more ? `${text} …` : text, families: keys === null ? null : families };
};

export const argumentsOf = (line: MonitorLine): Buffer[] => {
  const args: Buffer[] = [];
  for (let i = 0; i < MAX_ARGUMENTS; i++) {
    const arg = line.bytes(i);
    if (!arg) break;
    // The bytes of a line are valid only until the next one.
    args.push(Buffer.from(arg));
  }
  return args;
};
