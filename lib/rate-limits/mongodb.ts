import 'server-only';
import { MongoClient } from 'mongodb';
import { SingleFlight } from '@/lib/single-flight';
import { MINUTE, SECOND } from '@/lib/time';
import { addDocument, LEVELS, type LevelName, type Levels, noLevels, PARENT } from './levels';
import type { LimitsSource } from './limits-source';

/** How long what was read is good for, and how soon a failed reading is tried again. */
const GOOD_FOR_MS = MINUTE;
const RETRY_AFTER_MS = 5 * SECOND;
const REACHED_WITHIN_MS = 2 * SECOND;
const ANSWERED_WITHIN_MS = 30 * SECOND;
const BATCH = 1000;

/** The documents of a collection, with the fields that limits need and no others. */
export type ListDocuments = (collection: LevelName) => AsyncIterable<unknown>;

/** The driver says what is wrong with an address by errors of many kinds. */
const BAD_ADDRESS = 'BadAddress';
const EMPTY = 'Empty';

/** In words, and never in the driver's own: those repeat the address with its password. */
const reasonOf = (error: unknown): string => {
  const { name = '', code } = (error ?? {}) as { name?: string; code?: unknown };
  if (code === 18 || code === 8000) return 'it refused the user name or password';
  if (code === 13) return 'our user may not read its collections';
  if (name === EMPTY) return 'the database that its address names has no plans, workspaces and projects';
  if (name === BAD_ADDRESS) return 'its address in HAWK_MONGODB_URI cannot be used';
  if (/Timeout|ServerSelection|Network/.test(name)) return 'it cannot be reached';
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
        `MongoDB: of ${level}, ${broken.count} cannot be used as they are; the first ${broken.why}.`,
      );
  }
  return { levels, problems };
};

const GONE = (why: string, known: boolean): string =>
  `MongoDB is unavailable: ${why}.${known ? ' The last known limits are in use.' : ''}`;

/** Limits that `list` reads: all three collections or none. `close` lets go of what it holds; it may be used again. */
export const listedSource = (list: ListDocuments, close = async () => {}): LimitsSource => {
  let read: Read = { levels: noLevels(), problems: [] };
  let version = 0;
  let at: number | null = null;
  let gone: string | null = null;
  let nextAt = 0;
  const readings = new SingleFlight<void>();

  const take = async (): Promise<void> => {
    try {
      const found = await readAll(list);
      // A collector has plans and projects: an address without its database, or one that is being restored, has none.
      if (LEVELS.every((level) => found.levels[level].size === 0))
        throw Object.assign(new Error('nothing there'), { name: EMPTY });
      read = found;
      at = Date.now();
      gone = null;
      version += 1;
      nextAt = at + GOOD_FOR_MS;
    } catch (error) {
      gone = reasonOf(error);
      nextAt = Date.now() + RETRY_AFTER_MS;
      // A client that could not connect is closed for good: the next reading makes another.
      await close().catch(() => undefined);
    }
  };

  return {
    kind: 'mongodb',
    refresh: () => (Date.now() < nextAt ? Promise.resolve() : readings.run('limits', take)),
    levels: () => read.levels,
    version: () => version,
    status: () => {
      const problems = [...(gone === null ? [] : [GONE(gone, at !== null)]), ...read.problems];
      const known = at !== null || gone !== null;
      const state = gone !== null ? 'unavailable' : problems.length > 0 ? 'partial' : 'ok';
      return { status: known ? state : 'loading', stale: gone !== null && at !== null, problems, at };
    },
    close,
  };
};

const projectionOf = (level: LevelName): Record<string, 1> => {
  const above = PARENT[level];
  return { 'rateLimitSettings.N': 1, 'rateLimitSettings.T': 1, ...(above && { [above]: 1 }) };
};

const clientOf = (uri: string): MongoClient => {
  try {
    return new MongoClient(uri, {
      appName: 'keyward',
      maxPoolSize: 2,
      retryWrites: false,
      readPreference: 'secondaryPreferred',
      serverSelectionTimeoutMS: REACHED_WITHIN_MS,
      connectTimeoutMS: REACHED_WITHIN_MS,
      socketTimeoutMS: ANSWERED_WITHIN_MS,
    });
  } catch {
    throw Object.assign(new Error('not an address'), { name: BAD_ADDRESS });
  }
};

/** Limits from MongoDB itself: reads and nothing else, in the database of the address, through one or two connections. */
export const mongoSource = (uri: string): LimitsSource => {
  let client: MongoClient | null = null;
  const connected = (): MongoClient => {
    client ??= clientOf(uri);
    return client;
  };
  async function* list(level: LevelName): AsyncGenerator<unknown> {
    yield* connected()
      .db()
      .collection(level)
      .find({}, { projection: projectionOf(level), batchSize: BATCH, maxTimeMS: ANSWERED_WITHIN_MS });
  }
  return listedSource(list, async () => {
    const closing = client;
    client = null;
    await closing?.close();
  });
};
