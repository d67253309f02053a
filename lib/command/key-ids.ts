import 'server-only';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { badField, Problem } from '@/lib/errors';
import { digest, open, seal, sealSame } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { holdsSecret, keyFromId, keyId } from '@/lib/keyspace/display';
import type { Key } from '@/lib/redis/commands';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { allReplies } from '@/lib/redis/store';
import { HOUR } from '@/lib/time';
import type { ReadContext } from './context';

type Context = Pick<ReadContext, 'connection' | 'catalog'>;

/** A longer name does not fit into a link: its id is a handle. */
export const MAX_KEY_BYTES = 4096;
/** Longer names are not stored for their handles, which then cannot be opened. */
const MAX_STORED_BYTES = 128 * 1024;
const MAX_STORED_KEYS = 1000;
const STORED_MS = 6 * HOUR;

const inflate = promisify(inflateRaw);
const deflate = promisify(deflateRaw);

const contextOf = ({ connection }: Context): string => connection.config.id;

const handleOf = (ctx: Context, key: Key): string =>
  digest('key-handle', Buffer.concat([Buffer.from(`${contextOf(ctx)}\0`), key]));

const storedAt = (handle: string): Buffer => consoleFamilies.longKey.key({ digest: handle });
const INDEX = consoleFamilies.longKeys.key();

/**
 * The id of a key in links and answers. Plain base64url; sealed (`s.`) if the key contains a secret, which the id then
 * does not reveal; a handle (`h.`) for a name over 4 KB, which works once `rememberLongKeys` has stored the name.
 */
export const keyIdOf = (ctx: Context, key: Key): string => {
  if (key.length > MAX_KEY_BYTES) return `h.${handleOf(ctx, key)}`;
  // An empty name has no base64url.
  if (key.length > 0 && !holdsSecret(key, ctx.catalog)) return keyId(key);
  return `s.${sealSame('key-id', key, contextOf(ctx)).toString('base64url')}`;
};

/** The key of a plain or sealed id; null for a handle, an altered id, and one of another connection. */
export const keyOfId = (ctx: Context, id: string): Key | null => {
  if (id.startsWith('h.')) return null;
  if (!id.startsWith('s.')) {
    const key = keyFromId(id);
    return key && key.length > 0 ? key : null;
  }
  const sealed = keyFromId(id.slice(2));
  return sealed && open('key-id', sealed, contextOf(ctx));
};

/**
 * Stores the names behind the handles of long keys for six hours, so that their links work. Other keys cost nothing.
 * Without the store the links fail, but the list works.
 */
export const rememberLongKeys = async (
  ctx: Context & Pick<ReadContext, 'store' | 'now'>,
  keys: readonly Key[],
): Promise<void> => {
  const long = keys.filter(({ length }) => length > MAX_KEY_BYTES && length <= MAX_STORED_BYTES);
  if (long.length === 0) return;
  const sealed = await Promise.all(
    long.map(async (key) => {
      const handle = handleOf(ctx, key);
      return { handle, body: seal('key-handle', await deflate(key), `${contextOf(ctx)} ${handle}`) };
    }),
  );
  try {
    await ctx.store.use(async (redis) => {
      const pipeline = redis.pipeline();
      for (const { handle, body } of sealed) {
        pipeline.set(storedAt(handle), body, 'PX', STORED_MS);
        pipeline.zadd(INDEX, ctx.now(), handle);
      }
      pipeline.pexpire(INDEX, STORED_MS);
      pipeline.zrange(INDEX, '0', `${-1 - MAX_STORED_KEYS}`);
      const oldest = allReplies(await pipeline.exec()).at(-1) as string[];
      if (oldest.length === 0) return;
      await redis.unlink(...oldest.map((handle) => storedAt(handle)));
      await redis.zrem(INDEX, ...oldest);
    });
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error;
  }
};

const NO_KEY_ID = 'This is not a key id of this connection.';
const EXPIRED =
  'The link to this long key has expired. Open it from a list of keys again. A name over 128 KiB cannot be opened: use redis-cli, or invalidate the keys of its prefix.';

/** The key of any id. Throws 400 for an invalid one, and 410 `expired` for a handle whose name is no longer stored. */
export const findKey = async (ctx: Context & Pick<ReadContext, 'store'>, id: string): Promise<Key> => {
  const handle = id.startsWith('h.') ? id.slice(2) : null;
  const key = handle === null ? keyOfId(ctx, id) : null;
  if (key) return key;
  if (handle === null || !/^[\w-]{43}$/.test(handle)) throw badField('keyId', NO_KEY_ID);
  const sealed = await ctx.store.use((redis) => redis.getBuffer(storedAt(handle)));
  const body = sealed && open('key-handle', sealed, `${contextOf(ctx)} ${handle}`);
  if (!body) throw new Problem('expired', EXPIRED);
  return inflate(body, { maxOutputLength: MAX_STORED_BYTES });
};
