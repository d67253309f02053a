import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import { findKey, keyIdOf } from '@/lib/command/key-ids';
import type { Input } from '@/lib/contract';
import { badField, notFound } from '@/lib/errors';
import { displayKey, holdsSecret } from '@/lib/keyspace/display';
import { exactKeyOf, globBytes, globParts } from '@/lib/keyspace/glob';
import { type Key, lengthCommand } from '@/lib/redis/commands';
import { isWrongType, withoutPermission } from '@/lib/redis/failure';
import { isShared } from '@/lib/redis/shared-value';
import { ttlSeconds } from '@/lib/time';
import type { diagnosticContracts, KeyMemory } from './schema';

/** Up to this many elements all are measured, which takes the server well below a millisecond. */
const MAX_EXACT = 5000;

const EITHER = 'Give either the name of a key or its id.';
const WILDCARDS = 'Give the exact name of one key: `*`, `?` and `[` are escaped with a backslash.';
const SECRET = 'Open this key from a list of keys: its name may be a secret.';

const named = (ctx: ReadContext, name: string): Key => {
  const key = exactKeyOf(globParts(globBytes(name)));
  if (!key) throw badField('name', WILDCARDS);
  // Refused before the lookup: trying names must not reveal whether a secret exists.
  if (holdsSecret(key, ctx.catalog)) throw badField('name', SECRET);
  return key;
};

/** Like in the key inspector, guessable names are opened only by an id from this console. */
const byId = async (ctx: ReadContext, keyId: string): Promise<Key> => {
  const key = await findKey(ctx, keyId);
  const isIssued = /^[sh]\./.test(keyId);
  if (!isIssued && holdsSecret(key, ctx.catalog)) throw badField('keyId', SECRET);
  return key;
};

const resolve = (ctx: ReadContext, { name, keyId }: Input<typeof diagnosticContracts.key>) => {
  if ((name === undefined) === (keyId === undefined)) throw badField('name', EITHER);
  return name === undefined ? byId(ctx, keyId!) : Promise.resolve(named(ctx, name));
};

const readLength = async ({ reader }: ReadContext, key: Key, type: string): Promise<number | null> => {
  const command = lengthCommand(type);
  if (!command) return null;
  try {
    return await reader.read([command, key]);
  } catch (error) {
    // The key was replaced by another type meanwhile.
    if (isWrongType(error)) return null;
    throw error;
  }
};

/** One reply; null where it is not permitted, or refused because of the eviction policy. */
const whereKnown = async <T>(replies: Promise<readonly [T]>): Promise<Exclude<T, Error> | null> => {
  const [reply] = await replies.catch(withoutPermission([null]));
  return reply === null || reply instanceof Error ? null : (reply as Exclude<T, Error>);
};

/** diagnostics.key: 404 for a missing key. */
export const diagnoseKey = async (
  ctx: ReadContext,
  input: Input<typeof diagnosticContracts.key>,
): Promise<KeyMemory> => {
  const key = await resolve(ctx, input);
  // Idle time first, because later reads reset it.
  const idle = await whereKnown(ctx.reader.readMany([['OBJECT IDLETIME', key]]));
  const count = await whereKnown(ctx.reader.readMany([['OBJECT REFCOUNT', key]]));
  const idleSeconds = isShared(count) ? null : idle;
  const frequency = await whereKnown(ctx.reader.readMany([['OBJECT FREQ', key]]));
  const encoding = await whereKnown(ctx.reader.readMany([['OBJECT ENCODING', key]]));
  const [type, pttl] = await ctx.reader.readMany([
    ['TYPE', key],
    ['PTTL', key],
  ]);
  if (type instanceof Error) throw type;
  if (pttl instanceof Error) throw pttl;
  const ttl = ttlSeconds(pttl);
  if (type === 'none' || ttl === undefined) throw notFound('This key');
  const [identified] = await identifyKeys(ctx.reader, ctx.catalog, [key]);
  const length = await readLength(ctx, key, type);
  const exact = type === 'string' || (length !== null && length <= MAX_EXACT);
  const family = identified?.family ?? null;
  return {
    key: displayKey(key, ctx.catalog),
    keyId: keyIdOf(ctx, key),
    family: family?.id ?? null,
    title: family?.title ?? null,
    type,
    length,
    exact,
    ttlSeconds: ttl,
    memoryBytes: await ctx.reader
      .read(exact ? ['MEMORY USAGE', key, 'SAMPLES', 0] : ['MEMORY USAGE', key])
      .catch(withoutPermission(null)),
    encoding,
    idleSeconds,
    frequency,
  };
};
