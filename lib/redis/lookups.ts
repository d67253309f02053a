import 'server-only';
import { type Arguments, type CommandSpec, keyIndexes } from './command-table';

/** Why the arguments of a command do not determine its look-ups. */
export type Unclear = 'sort-patterns' | 'scan-type' | 'silent-miss' | 'module-command';

/** The arguments that the server looks up for reading. Each look-up is one hit or one miss. */
export interface Lookups {
  /** Indexes of arguments. An argument that is looked up twice is listed twice. */
  keys: readonly number[];
  unclear: Unclear | null;
}

const NOTHING: Lookups = { keys: [], unclear: null };

/** Commands that count nothing themselves. Scripts and functions count through the commands they call. */
const COUNTS_NOTHING = new Set([
  'watch',
  'memory|usage',
  'memory',
  'debug',
  'keys',
  'scan',
  'randomkey',
  'dbsize',
  'pfdebug',
  'wait',
  'eval',
  'evalsha',
  'eval_ro',
  'evalsha_ro',
  'fcall',
  'fcall_ro',
  'object|help',
  'command',
]);

const options = (args: Arguments, from: number): string[] =>
  Array.from({ length: Math.max(0, args.count - from) }, (_, i) => args.word(from + i));

/** Commands that write and also look up keys for reading. Returns which of their keys they read. */
const READS_AND_WRITES: Readonly<Record<string, (keys: number[], args: Arguments) => number[]>> = {
  getset: (keys) => keys,
  getdel: (keys) => keys,
  getex: (keys) => keys,
  // The value itself may be "get", so options begin after it.
  set: (keys, args) => (args.count > 3 && options(args, 3).includes('get') ? keys : []),
  xack: (keys) => keys,
  xclaim: (keys) => keys,
  xautoclaim: (keys) => keys,
  // Two look-ups: one for the group, one to read the stream.
  xreadgroup: (keys) => [...keys, ...keys],
  pfmerge: (keys) => keys,
  bitfield: (keys, args) =>
    options(args, 2).some((word) => word === 'set' || word === 'incrby') ? [] : keys,
  // With KEYS the single-key argument is empty.
  migrate: (keys) => (keys.length > 1 ? keys.slice(1) : keys),
};

/** Redis 7 marks the sources of a write as `RO`. */
const sourcesOf = (spec: CommandSpec, args: Arguments): number[] =>
  spec.keys.filter(({ flags }) => flags.has('RO')).flatMap((keys) => keyIndexes(keys, args));

const allKeys = (spec: CommandSpec, args: Arguments): number[] =>
  spec.keys.filter(({ flags }) => !flags.has('not_key')).flatMap((keys) => keyIndexes(keys, args));

/** Redis 6.2 does not mark keys. */
const marksKeys = (spec: CommandSpec): boolean => spec.keys.some(({ flags }) => flags.size > 0);

/**
 * Where Redis 6.2 counts differently from its flags: it looks up the sources of most writes for writing, which counts
 * nothing.
 */
const COUNTED_BY_6_2: Readonly<Record<string, (keys: number[], args: Arguments) => number[]>> = {
  sort: (keys, args) => (options(args, 2).includes('store') ? [] : keys),
  bitop: (keys) => keys.slice(1),
  pfcount: (keys) => (keys.length > 1 ? keys : []),
  georadius: (keys) => keys,
  georadiusbymember: (keys) => keys,
  geosearchstore: (keys) => keys.slice(1),
  object: (keys, args) => (args.word(1) === 'help' ? [] : keys),
};

/** BY and GET build key names from the sorted elements, which are not among the arguments. */
const looksUpByPattern = (args: Arguments): boolean => {
  const words = options(args, 2);
  return words.some((word, i) => {
    const pattern = words[i + 1] ?? '';
    return (word === 'by' && pattern.includes('*')) || (word === 'get' && pattern !== '#');
  });
};

/**
 * What one call adds to `keyspace_hits` and `keyspace_misses`: one for each look-up for reading (Redis'
 * `lookupKeyRead`). A wrong type or a missing field still is a hit of the key.
 */
export const lookupsOf = (spec: CommandSpec, args: Arguments): Lookups => {
  const { name } = spec;
  if (spec.opaque) return { keys: [], unclear: 'module-command' };
  // SCAN … TYPE looks up every key it examines.
  if (name === 'scan' && options(args, 2).includes('type')) return { keys: [], unclear: 'scan-type' };
  if (COUNTS_NOTHING.has(name)) return NOTHING;
  const special = READS_AND_WRITES[name];
  if (special) return { keys: special(allKeys(spec, args), args), unclear: null };
  if (spec.keys.length === 0) return NOTHING;
  const old = marksKeys(spec) ? undefined : COUNTED_BY_6_2[name];
  const keys = old
    ? old(allKeys(spec, args), args)
    : spec.flags.has('readonly')
      ? allKeys(spec, args)
      : sourcesOf(spec, args);
  // XREAD looks up each stream once more to check its type.
  if (name === 'xread') return { keys: [...keys, ...keys], unclear: null };
  if ((name === 'sort' || name === 'sort_ro') && looksUpByPattern(args))
    return { keys, unclear: 'sort-patterns' };
  // OBJECT publishes no event for a missing key.
  if (name === 'object' || name.startsWith('object|')) return { keys, unclear: 'silent-miss' };
  return { keys, unclear: null };
};
