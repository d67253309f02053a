import 'server-only';
import { type Arguments, type CommandSpec, keyIndexes } from './command-table';

/** Why what a command counts cannot be told from its arguments. */
export type Unclear = 'sort-patterns' | 'scan-type' | 'silent-miss' | 'module-command';

/** Which arguments of a call the server looks up for reading: each is one hit or one miss. */
export interface Lookups {
  /** Indexes of arguments; one that is looked up twice comes twice. */
  keys: readonly number[];
  unclear: Unclear | null;
}

const NOTHING: Lookups = { keys: [], unclear: null };

/** Look at keys without looking them up for reading, or leave that to the commands they call. */
const COUNTS_NOTHING = new Set([
  ...['watch', 'memory|usage', 'memory', 'debug', 'keys', 'scan', 'randomkey', 'dbsize', 'pfdebug', 'wait'],
  ...['eval', 'evalsha', 'eval_ro', 'evalsha_ro', 'fcall', 'fcall_ro', 'object|help', 'command'],
]);

const options = (args: Arguments, from: number): string[] =>
  Array.from({ length: Math.max(0, args.count - from) }, (_, i) => args.word(from + i));

/** Commands that write and yet look a key up for reading: which of their keys, given what Redis calls keys. */
const READS_AND_WRITES: Readonly<Record<string, (keys: number[], args: Arguments) => number[]>> = {
  getset: (keys) => keys,
  getdel: (keys) => keys,
  getex: (keys) => keys,
  // A value may be anything, also "get": only what follows it is an option.
  set: (keys, args) => (args.count > 3 && options(args, 3).includes('get') ? keys : []),
  xack: (keys) => keys,
  xclaim: (keys) => keys,
  xautoclaim: (keys) => keys,
  // The group is looked for first, then the stream is read.
  xreadgroup: (keys) => [...keys, ...keys],
  pfmerge: (keys) => keys,
  bitfield: (keys, args) =>
    options(args, 2).some((word) => word === 'set' || word === 'incrby') ? [] : keys,
  // With KEYS the argument in the place of the one key is empty.
  migrate: (keys) => (keys.length > 1 ? keys.slice(1) : keys),
};

/** Before Redis 7 these looked their sources up as for writing, which is not counted; now their sources are `RO`. */
const sourcesOf = (spec: CommandSpec, args: Arguments): number[] =>
  spec.keys.filter(({ flags }) => flags.has('RO')).flatMap((keys) => keyIndexes(keys, args));

const allKeys = (spec: CommandSpec, args: Arguments): number[] =>
  spec.keys.filter(({ flags }) => !flags.has('not_key')).flatMap((keys) => keyIndexes(keys, args));

/** Redis 7 looks at each stream's type before it reads it; 6.2 only where `$` has to be resolved. */
const lookedAtBefore = (spec: CommandSpec, keys: number[], args: Arguments): number[] =>
  spec.keys.some(({ flags }) => flags.size > 0)
    ? keys
    : keys.filter((index) => args.word(index + keys.length) === '$');

/** BY and GET name keys by the elements that are sorted, which are not in the arguments. */
const looksUpByPattern = (args: Arguments): boolean => {
  const words = options(args, 2);
  return words.some((word, i) => {
    const pattern = words[i + 1] ?? '';
    return (word === 'by' && pattern.includes('*')) || (word === 'get' && pattern !== '#');
  });
};

/**
 * What one call adds to `keyspace_hits` and `keyspace_misses`: one for each look-up for reading (`lookupKeyRead`),
 * whatever becomes of it: a wrong type, or a field that is not there, is a hit of its key.
 */
export const lookupsOf = (spec: CommandSpec, args: Arguments): Lookups => {
  const { name } = spec;
  if (spec.opaque) return { keys: [], unclear: 'module-command' };
  // Each key examined is looked up, which the arguments do not name.
  if (name === 'scan' && options(args, 2).includes('type')) return { keys: [], unclear: 'scan-type' };
  if (COUNTS_NOTHING.has(name)) return NOTHING;
  const special = READS_AND_WRITES[name];
  if (special) return { keys: special(allKeys(spec, args), args), unclear: null };
  if (spec.keys.length === 0) return NOTHING;
  const keys = spec.flags.has('readonly') ? allKeys(spec, args) : sourcesOf(spec, args);
  if (name === 'xread') return { keys: [...keys, ...lookedAtBefore(spec, keys, args)], unclear: null };
  if ((name === 'sort' || name === 'sort_ro') && looksUpByPattern(args))
    return { keys, unclear: 'sort-patterns' };
  // OBJECT tells nobody of a key it misses.
  if (name === 'object' || name.startsWith('object|')) return { keys, unclear: 'silent-miss' };
  return { keys, unclear: null };
};
