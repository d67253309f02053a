import 'server-only';
import { createReadStream } from 'node:fs';
import { open as openFile, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { gunzipSync, gzipSync } from 'node:zlib';
import { systemActor } from '@/lib/actor';
import { recordEvent } from '@/lib/audit/record';
import { readAnchor } from '@/lib/audit/rows';
import { verifyChain } from '@/lib/audit/verify';
import { open, seal } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { closeStore, type Store, store } from '@/lib/redis/store';
import { iso } from '@/lib/time';
import { keysOf as allKeysOf } from './keys';
import { knownVersion } from './migrations';
import { readVersion, writeVersion } from './stored-version';

/** The file has a header in plain JSON, then sealed chunks of rows, then a sealed count of rows. */
const FORMAT = 1;
/** How often a backup is made again because the audit log was written to meanwhile. */
const MAX_ATTEMPTS = 5;

/** Key, expiry (epoch ms; 0: none) and DUMP. */
type Row = [key: string, expiresAt: number, dump: string];
type Chunk = { rows: Row[] } | { count: number };

interface Header {
  keyward: 'store';
  format: number;
  at: string;
  /** The version of the store's schema; absent in backups of before there were versions. */
  schema?: number;
}

/** What ends with its process, and the digest of the secrets, which each store has of its own. */
const { bull, lease, secrets } = consoleFamilies;
const LEFT_OUT = [bull, lease].map((family) => family.match().replace(/\*.*$/, ''));
const SECRETS = secrets.key().toString();
const isKept = (key: string): boolean => key !== SECRETS && !LEFT_OUT.some((start) => key.startsWith(start));

/** Chunks cannot change places, nor come from another file. */
const contextOf = ({ at }: Header, line: number): string => `store:${at}:${line}`;

const sealed = (header: Header, line: number, chunk: Chunk): string =>
  `${seal('backup', gzipSync(JSON.stringify(chunk)), contextOf(header, line)).toString('base64')}\n`;

const readRows = async (own: Store, keys: readonly Buffer[], now: number): Promise<Row[]> =>
  own.use(async (redis) => {
    const pipeline = redis.pipeline();
    for (const key of keys) pipeline.dumpBuffer(key).pttl(key);
    const replies = (await pipeline.exec()) ?? [];
    return keys.flatMap((key, i): Row[] => {
      const [[dumpError, dump], [ttlError, ttl]] = [replies[2 * i]!, replies[2 * i + 1]!];
      if (dumpError ?? ttlError) throw dumpError ?? ttlError;
      if (dump === null) return [];
      const expiresAt = Number(ttl) >= 0 ? now + Number(ttl) : 0;
      return [[key.toString('base64'), expiresAt, (dump as Buffer).toString('base64')]];
    });
  });

async function* keysOf(own: Store): AsyncGenerator<Buffer[]> {
  for await (const keys of allKeysOf(own)) {
    const kept = keys.filter((key) => isKept(key.toString()));
    if (kept.length > 0) yield kept;
  }
}

/** Whether the store has nothing that a backup would have. */
export const isEmpty = async (own: Store): Promise<boolean> => (await keysOf(own).next()).done === true;

const writeOnce = async (own: Store, file: string, now: number): Promise<number> => {
  const out = await openFile(file, 'w', 0o600);
  try {
    const stored = await readVersion(own);
    const schema = stored === null || stored === 'unreadable' ? {} : { schema: stored.version };
    const header: Header = { keyward: 'store', format: FORMAT, at: iso(now), ...schema };
    await out.write(`${JSON.stringify(header)}\n`);
    let [line, count] = [1, 0];
    for await (const keys of keysOf(own)) {
      const rows = await readRows(own, keys, Date.now());
      await out.write(sealed(header, line++, { rows }));
      count += rows.length;
    }
    await out.write(sealed(header, line, { count }));
    await out.sync();
    return count;
  } finally {
    await out.close();
  }
};

/**
 * Writes the store into a new file, sealed with KEYWARD_SECRET_KEY: users, tokens, the audit log, undo data, history,
 * without the queue of jobs. It is made again while the audit log changes, so that it is of one moment. Returns the
 * number of keys. Throws if the file cannot be written; then there is none.
 */
export const backupStore = async (file: string, own = store()): Promise<number> => {
  const part = `${file}.part`;
  try {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const before = await readAnchor(own, 'head');
      const count = await writeOnce(own, part, Date.now());
      if ((await readAnchor(own, 'head')).digest !== before.digest) continue;
      await rename(part, file);
      return count;
    }
    throw new Error(
      'Something was changed all the while, so no backup is of one moment. Stop the console first.',
    );
  } finally {
    await rm(part, { force: true });
  }
};

const headerIn = (text: string): Header => {
  let header: Partial<Header> | null = null;
  try {
    header = JSON.parse(text) as Partial<Header>;
  } catch {
    // not one of ours
  }
  if (header?.keyward !== 'store') throw new Error('This file is no backup of a store.');
  if (header.format !== FORMAT)
    throw new Error(`This backup has the format ${header.format}, and this version reads ${FORMAT}.`);
  if (Number(header.schema ?? 0) > knownVersion())
    throw new Error(
      `This backup has schema ${header.schema}, and this version knows ${knownVersion()}: use the version that wrote it.`,
    );
  return header as Header;
};

/** The chunks of a backup, in order. Throws at the first that was changed, moved or cut off. */
async function* chunksOf(file: string): AsyncGenerator<Chunk> {
  const lines = createInterface({ input: createReadStream(file) });
  let header: Header | null = null;
  let line = 0;
  let isComplete = false;
  for await (const text of lines) {
    if (!header) {
      header = headerIn(text);
      continue;
    }
    const plain = open('backup', Buffer.from(text, 'base64'), contextOf(header, ++line));
    if (!plain || isComplete)
      throw new Error(
        'The file was changed since it was written, or another KEYWARD_SECRET_KEY wrote it. Nothing was restored.',
      );
    const chunk = JSON.parse(gunzipSync(plain).toString()) as Chunk;
    isComplete = 'count' in chunk;
    yield chunk;
  }
  if (!header) throw new Error('This file is no backup of a store.');
  if (!isComplete) throw new Error('The end of the file is missing. Nothing was restored.');
}

const checkFile = async (file: string): Promise<void> => {
  let rows = 0;
  for await (const chunk of chunksOf(file)) {
    if ('rows' in chunk) rows += chunk.rows.length;
    else if (chunk.count !== rows)
      throw new Error('The file has not as many keys as it says. Nothing was restored.');
  }
};

const requireEmpty = async (own: Store): Promise<void> => {
  for await (const keys of keysOf(own))
    throw new Error(
      `The store is not empty (it has ${keys[0]!.toString('latin1')}). Nothing was restored: name an empty one with KEYWARD_STORE_URL, or move the folder of the private one away.`,
    );
};

const writeRows = async (own: Store, rows: readonly Row[]): Promise<number> => {
  const living = rows.filter(([, expiresAt]) => expiresAt === 0 || expiresAt > Date.now());
  await own.use(async (redis) => {
    const pipeline = redis.pipeline();
    for (const [key, expiresAt, dump] of living)
      pipeline.restore(Buffer.from(key, 'base64'), expiresAt, Buffer.from(dump, 'base64'), 'ABSTTL');
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  });
  return living.length;
};

/** An upgrade announces itself before its backup, in which it has changed nothing. */
const withoutAnnouncement = async (own: Store): Promise<void> => {
  const stored = await readVersion(own);
  if (stored === null || stored === 'unreadable' || stored.migratingTo === null || stored.backup) return;
  await writeVersion(own, { ...stored, migratingTo: null });
};

export interface Restored {
  keys: number;
  expired: number;
  /** What is wrong with the restored audit log; null when it is intact. */
  problem: string | null;
}

/**
 * Restores a backup into an empty store, after the whole file was checked. Throws if nothing was restored, or with how
 * far it came.
 */
export const restoreStore = async (file: string, own = store()): Promise<Restored> => {
  await checkFile(file);
  await requireEmpty(own);
  let [keys, expired] = [0, 0];
  try {
    for await (const chunk of chunksOf(file)) {
      if (!('rows' in chunk)) continue;
      const written = await writeRows(own, chunk.rows);
      keys += written;
      expired += chunk.rows.length - written;
    }
  } catch (error) {
    throw new Error(
      `After ${keys} keys: ${(error as Error).message}. The store has only a part: empty it before you restore again. A backup needs a server as new as the one that it was made on.`,
    );
  }
  await withoutAnnouncement(own);
  const { ok, problem } = await verifyChain(own);
  const detail = `${keys} keys`;
  await recordEvent({ actor: systemActor(), action: 'store.restore', outcome: 'succeeded', detail });
  return { keys, expired, problem: ok ? null : problem };
};

export { closeStore };
