import 'server-only';
import type { CommandSpec } from '@/lib/redis/command-table';
import { SHIPPED_FACTS } from '@/lib/redis/shipped-table';
import { namedRefusal, type Refusal, refusalFor } from './refusals';

export type Verdict = { kind: 'read' | 'write' } | { kind: 'refused'; refusal: Refusal };

/** The server's categories of what works on data. */
const DATA = [
  'keyspace',
  'string',
  'hash',
  'list',
  'set',
  'sortedset',
  'stream',
  'bitmap',
  'hyperloglog',
  'geo',
];
/** Categories and flags of what is never run, whatever else a command has. */
const NEVER = ['admin', 'dangerous', 'blocking', 'pubsub', 'scripting', 'connection', 'transaction'];
const NEVER_FLAGS = ['module', 'noscript'];

/** Harmless commands that have no category of data. */
const ALSO_READ = new Set(['ping', 'time', 'memory|usage', 'object|help']);
/** Permitted subcommands of containers that are otherwise refused by name. */
const EXCEPTIONS = new Set(['memory|usage']);

/**
 * Commands of servers newer than the shipped table: their replies are masked (`reply.ts`), or contain no part of a
 * value.
 */
const NEWER: Readonly<Record<string, 'read' | 'write'>> = {
  httl: 'read',
  hpttl: 'read',
  hexpiretime: 'read',
  hpexpiretime: 'read',
  hgetex: 'write',
  hgetdel: 'write',
  hsetex: 'write',
  hexpire: 'write',
  hpexpire: 'write',
  hexpireat: 'write',
  hpexpireat: 'write',
  hpersist: 'write',
  vcard: 'read',
  vdim: 'read',
  vinfo: 'read',
  vemb: 'read',
  vismember: 'read',
  vrandmember: 'read',
  vgetattr: 'read',
  vsetattr: 'write',
  vrem: 'write',
};

const hasAny = (set: ReadonlySet<string>, names: readonly string[]): boolean =>
  names.some((name) => set.has(name));

/** Commands that read without naming a key. */
export const NAMES_NO_KEY: ReadonlySet<string> = new Set([
  'scan',
  'randomkey',
  'dbsize',
  'ping',
  'time',
  'object|help',
]);

/**
 * What a command does, by the server's own categories: only what is certainly a read or a write of data is run. Which role
 * may run it follows from the permissions' table.
 */
export const judge = ({ name, categories, flags, keys, opaque, subcommands }: CommandSpec): Verdict => {
  const refused: Verdict = { kind: 'refused', refusal: refusalFor(name, categories, flags) };
  // What its subcommands do is judged of each.
  if (subcommands) return refused;
  if (ALSO_READ.has(name)) return { kind: 'read' };
  const isNamed = namedRefusal(name) ?? namedRefusal(name.split('|')[0]!);
  if (isNamed && !EXCEPTIONS.has(name)) return refused;
  if (Object.hasOwn(NEWER, name) && !opaque && keys.length > 0) return { kind: NEWER[name]! };
  if (hasAny(categories, NEVER) || hasAny(flags, [...NEVER, ...NEVER_FLAGS]) || opaque) return refused;
  // What a newer command answers has no rule here that masks it.
  if (!hasAny(categories, DATA) || !SHIPPED_FACTS.has(name)) return refused;
  if (categories.has('write') || flags.has('write')) return { kind: 'write' };
  return categories.has('read') && flags.has('readonly') ? { kind: 'read' } : refused;
};
