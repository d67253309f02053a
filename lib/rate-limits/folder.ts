import 'server-only';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@/lib/exact-json';
import { SingleFlight } from '@/lib/single-flight';
import { documentsIn } from './documents';
import { addDocument, LEVELS, type LevelName, type Levels, LevelTable, noLevels } from './levels';
import type { LimitsSource } from './limits-source';

const CHECK_EVERY_MS = 500;
const CHUNK_BYTES = 128 * 1024;

/** State of one file. */
interface FileState {
  table: LevelTable;
  /** When the table was last known to match the file, epoch ms; null: never read. */
  at: number | null;
  /** Modification time, size and inode at the last attempt to read it. */
  identity: string | null;
  /** Why the file is unusable now; the table is of an earlier version. */
  unusable: string | null;
  /** A sentence about documents that could not be used. */
  broken: string | null;
}

const nameOf = (level: LevelName): string => `${level}.json`;

const reasonOf = (error: unknown): string => {
  switch ((error as { code?: string } | null)?.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'is missing';
    case 'EACCES':
    case 'EPERM':
      return 'may not be read';
    case 'EISDIR':
      return 'is a folder';
    default:
      return 'cannot be read';
  }
};

interface Read {
  table: LevelTable;
  documents: number;
  /** It ends inside a document. */
  cut: boolean;
  broken: { count: number; line: number; why: string } | null;
}

const whyUnparsed = (text: string): string => (text === '' ? 'the file ends inside the list' : 'is not JSON');

/** Reads the file in chunks, so that other work can go on. */
const readFile = async (file: string, level: LevelName): Promise<Read> => {
  const read: Read = { table: new LevelTable(), documents: 0, cut: false, broken: null };
  const chunks = createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
  for await (const documents of documentsIn(chunks)) {
    for (const { text, line, cut = false } of documents) {
      read.documents += 1;
      let why: string | null;
      try {
        why = addDocument(read.table, level, parseJson(text));
      } catch {
        why = whyUnparsed(text);
        read.cut ||= cut;
      }
      if (why === null) continue;
      read.broken ??= { count: 0, line, why };
      read.broken.count += 1;
    }
  }
  return read;
};

const sentenceOf = (level: LevelName, { broken, documents }: Read): string | null =>
  broken &&
  `${nameOf(level)}: ${broken.count} of ${documents} documents cannot be used as they are; the first one, in line ${broken.line}, ${broken.why}.`;

/** Why this reading does not replace the last one: the file may be in the middle of being written. */
const whyUnusable = ({ table, documents, cut }: Read): string | null => {
  if (documents === 0) return 'is empty';
  if (table.size === 0) return 'has no readable document';
  return cut ? 'ends inside a document' : null;
};

/** Reads a file if it changed. Answers whether its table was replaced. */
const refreshFile = async (folder: string, level: LevelName, known: FileState): Promise<boolean> => {
  const file = join(folder, nameOf(level));
  try {
    const { mtimeNs, size, ino } = await stat(file, { bigint: true });
    const identity = `${mtimeNs} ${size} ${ino}`;
    if (identity === known.identity) {
      if (known.unusable === null) known.at = Date.now();
      return false;
    }
    const read = await readFile(file, level);
    known.identity = identity;
    const unusable = whyUnusable(read);
    if (unusable !== null && known.table.size > 0) {
      known.unusable = unusable;
      return false;
    }
    Object.assign(known, {
      table: read.table,
      at: Date.now(),
      unusable: null,
      broken: sentenceOf(level, read),
    });
    return true;
  } catch (error) {
    known.unusable = reasonOf(error);
    known.identity = null;
    return false;
  }
};

const problemOf = (level: LevelName, { unusable, at, broken }: FileState): string[] => {
  if (unusable === null) return broken === null ? [] : [broken];
  return [
    at === null
      ? `${nameOf(level)} ${unusable}.`
      : `${nameOf(level)} ${unusable}: its last known limits apply.`,
  ];
};

/** Limits from a folder of `plans.json`, `workspaces.json` and `projects.json` as mongoexport writes them. */
export const folderSource = (folder: string): LimitsSource => {
  const empty = noLevels();
  const known = Object.fromEntries(
    LEVELS.map((level) => [
      level,
      { table: empty[level], at: null, identity: null, unusable: 'has not been read yet', broken: null },
    ]),
  ) as Record<LevelName, FileState>;
  let version = 0;
  let checkedAt = 0;
  const refreshes = new SingleFlight<void>();

  const refreshAll = async (): Promise<void> => {
    // One after another: reading three large files at once would take three times the memory.
    for (const level of LEVELS) if (await refreshFile(folder, level, known[level])) version += 1;
    checkedAt = Date.now();
  };

  const levels = (): Levels => ({
    plans: known.plans.table,
    workspaces: known.workspaces.table,
    projects: known.projects.table,
  });

  return {
    kind: 'folder',
    refresh: () => {
      const isFresh = Date.now() - checkedAt < CHECK_EVERY_MS;
      return isFresh ? Promise.resolve() : refreshes.run(folder, refreshAll);
    },
    levels,
    version: () => version,
    status: () => {
      const all = LEVELS.map((level) => known[level]);
      const times = all.flatMap(({ at }) => (at === null ? [] : [at]));
      const problems = LEVELS.flatMap((level) => problemOf(level, known[level]));
      const unread = all.every(({ unusable }) => unusable !== null);
      const first = checkedAt === 0;
      return {
        status: first ? 'loading' : unread ? 'unavailable' : problems.length > 0 ? 'partial' : 'ok',
        stale: all.some(({ unusable, at }) => unusable !== null && at !== null),
        problems: first ? [] : problems,
        at: times.length === 0 ? null : Math.min(...times),
      };
    },
    close: async () => undefined,
  };
};
