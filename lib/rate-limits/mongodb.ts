import 'server-only';
import type { MongoClient } from 'mongodb';
import { SingleFlight } from '@/lib/single-flight';
import { MINUTE, SECOND } from '@/lib/time';
import { addDocument, LEVELS, type LevelName, type Levels, noLevels, PARENT } from './levels';
import type { LimitsSource } from './limits-source';

/** How long limits are fresh, and how soon a failed read is tried again. */
const FRESH_MS = MINUTE;
const RETRY_AFTER_MS = 5 * SECOND;
const CONNECT_TIMEOUT_MS = 2 * SECOND;
const QUERY_TIMEOUT_MS = 30 * SECOND;
const BATCH_SIZE = 1000;

/** The documents of a collection, with only the fields that limits need. */
export type ListDocuments = (collection: LevelName) => AsyncIterable<unknown>;

/** Names of our own errors; the driver throws errors of many kinds for a bad address. */
const BAD_ADDRESS = 'BadAddress';
const EMPTY = 'Empty';

/** The reason of a failure. The driver's messages are not shown: they contain the address with its password. */
const reasonOf = (error: unknown): string => {
  const { name = '', code } = (error ?? {}) as { name?: string; code?: unknown };
  if (code === 18 || code === 8000) return 'it refused the user name or password';
  if (code === 13) return 'its user may not read the collections';
  if (name === EMPTY) return 'the database in its address has no plans, workspaces or projects';
  if (name === BAD_ADDRESS) return 'the address in HAWK_MONGODB_URI is not valid';
  if (/Timeout|ServerSelection|Network/.test(name)) return 'it is unreachable';
  return 'it did not answer as expected';
};

interface Read {
  levels: Levels;
  problems: string[];
}

const readAll = async (list: ListDocuments): Promise<Read> => {
  const levels = noLevels();
  const problems: string[] = [];
  for (const level of LEVELS) {
    const broken = { count: 0, why: '' };
    for await (const document of list(level)) {
      const why = addDocument(levels[level], level, document);
      if (why === null) continue;
      if (broken.count === 0) broken.why = why;
      broken.count += 1;
    }
    if (broken.count > 0)
      problems.push(
        `MongoDB: of ${level}, ${broken.count} cannot be used as they are; the first one ${broken.why}.`,
      );
  }
  return { levels, problems };
};

const unavailable = (why: string, known: boolean): string =>
  `MongoDB is unavailable: ${why}.${known ? ' The last known limits apply.' : ''}`;

/** Limits that `list` reads: all three collections or none. `close` releases its connections; it may be used again. */
export const listedSource = (list: ListDocuments, close = async () => {}): LimitsSource => {
  let read: Read = { levels: noLevels(), problems: [] };
  let version = 0;
  let at: number | null = null;
  let failure: string | null = null;
  let nextAt = 0;
  const readings = new SingleFlight<void>();

  const refresh = async (): Promise<void> => {
    try {
      const found = await readAll(list);
      // A database without plans and projects is the wrong one, or is being restored: its emptiness is not taken over.
      if (LEVELS.every((level) => found.levels[level].size === 0))
        throw Object.assign(new Error('no documents'), { name: EMPTY });
      read = found;
      at = Date.now();
      failure = null;
      version += 1;
      nextAt = at + FRESH_MS;
    } catch (error) {
      failure = reasonOf(error);
      nextAt = Date.now() + RETRY_AFTER_MS;
      // The driver does not reconnect a client that failed to connect: the next read makes a new one.
      await close().catch(() => undefined);
    }
  };

  return {
    kind: 'mongodb',
    refresh: () => (Date.now() < nextAt ? Promise.resolve() : readings.run('limits', refresh)),
    levels: () => read.levels,
    version: () => version,
    status: () => {
      const problems = [...(failure === null ? [] : [unavailable(failure, at !== null)]), ...read.problems];
      const known = at !== null || failure !== null;
      const state = failure !== null ? 'unavailable' : problems.length > 0 ? 'partial' : 'ok';
      return { status: known ? state : 'loading', stale: failure !== null && at !== null, problems, at };
    },
    close,
  };
};

const projectionOf = (level: LevelName): Record<string, 1> => {
  const parentField = PARENT[level];
  return {
    name: 1,
    'rateLimitSettings.N': 1,
    'rateLimitSettings.T': 1,
    ...(parentField && { [parentField]: 1 }),
  };
};

/** Loads the driver, which takes 7 MB that consoles without MongoDB do not need. */
const clientOf = async (uri: string): Promise<MongoClient> => {
  const { MongoClient } = await import('mongodb');
  try {
    return new MongoClient(uri, {
      appName: 'keyward',
      maxPoolSize: 2,
      retryWrites: false,
      readPreference: 'secondaryPreferred',
      serverSelectionTimeoutMS: CONNECT_TIMEOUT_MS,
      connectTimeoutMS: CONNECT_TIMEOUT_MS,
      socketTimeoutMS: QUERY_TIMEOUT_MS,
    });
  } catch {
    throw Object.assign(new Error('not an address'), { name: BAD_ADDRESS });
  }
};

/** Limits from MongoDB, from the database of the address, read only, through at most two connections. */
export const mongoSource = (uri: string): LimitsSource => {
  let client: Promise<MongoClient> | null = null;
  async function* list(level: LevelName): AsyncGenerator<unknown> {
    client ??= clientOf(uri);
    yield* (await client)
      .db()
      .collection(level)
      .find({}, { projection: projectionOf(level), batchSize: BATCH_SIZE, maxTimeMS: QUERY_TIMEOUT_MS });
  }
  return listedSource(list, async () => {
    const closing = client;
    client = null;
    await (await closing)?.close();
  });
};
