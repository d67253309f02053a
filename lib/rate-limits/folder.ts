import 'server-only';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '@/lib/single-flight';
import { documentsIn } from './documents';
import { addDocument, LEVELS, type LevelName, type Levels, LevelTable, noLevels } from './levels';
import type { LimitsSource } from './limits-source';

const LOOK_EVERY_MS = 500;
const CHUNK_BYTES = 128 * 1024;

/** What is known of one file. */
interface Known {
  table: LevelTable;
  /** When the table was last the file's content, epoch ms; null: never read. */
  at: number | null;
  /** What the file was when it was read, or could not be. */
  identity: string | null;
  /** It cannot be read as it is now; the table is of before. */
  gone: string | null;
  /** Documents that cannot be read. */
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
  /** It ends in the middle of something. */
  cut: boolean;
  broken: { count: number; line: number; why: string } | null;
}

const whyUnparsed = (text: string): string => (text === '' ? 'the file ends inside the list' : 'is no JSON');

/** Takes the file up a piece at a time, so that nothing else waits. */
const readFile = async (file: string, level: LevelName): Promise<Read> => {
  const read: Read = { table: new LevelTable(), documents: 0, cut: false, broken: null };
  const chunks = createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
  for await (const documents of documentsIn(chunks)) {
    for (const { text, line, cut = false } of documents) {
      read.documents += 1;
      let why: string | null;
      try {
        why = addDocument(read.table, level, JSON.parse(text));
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
  `${nameOf(level)}: ${broken.count} of ${documents} documents cannot be used as they are; the first, in line ${broken.line}, ${broken.why}.`;

/** Why what stands there now is no successor of what was read before: perhaps it is being written. */
const whyUseless = ({ table, documents, cut }: Read): string | null => {
  if (documents === 0) return 'is empty now';
  if (table.size === 0) return 'holds no document that can be read';
  return cut ? 'ends in the middle' : null;
};

/** Takes a file up if it changed since. Answers whether its table is another now. */
const look = async (folder: string, level: LevelName, known: Known): Promise<boolean> => {
  const file = join(folder, nameOf(level));
  try {
    const { mtimeNs, size, ino } = await stat(file, { bigint: true });
    const identity = `${mtimeNs} ${size} ${ino}`;
    if (identity === known.identity) {
      if (known.gone === null) known.at = Date.now();
      return false;
    }
    const read = await readFile(file, level);
    known.identity = identity;
    const useless = whyUseless(read);
    if (useless !== null && known.table.size > 0) {
      known.gone = useless;
      return false;
    }
    Object.assign(known, { table: read.table, at: Date.now(), gone: null, broken: sentenceOf(level, read) });
    return true;
  } catch (error) {
    known.gone = reasonOf(error);
    known.identity = null;
    return false;
  }
};

const problemOf = (level: LevelName, { gone, at, broken }: Known): string[] => {
  if (gone === null) return broken === null ? [] : [broken];
  return [
    at === null ? `${nameOf(level)} ${gone}.` : `${nameOf(level)} ${gone}: its last known limits are in use.`,
  ];
};

/** Limits from a folder of `plans.json`, `workspaces.json` and `projects.json` as mongoexport writes them. */
export const folderSource = (folder: string): LimitsSource => {
  const empty = noLevels();
  const known = Object.fromEntries(
    LEVELS.map((level) => [
      level,
      { table: empty[level], at: null, identity: null, gone: 'was not read yet', broken: null },
    ]),
  ) as Record<LevelName, Known>;
  let version = 0;
  let lookedAt = 0;
  const looks = new SingleFlight<void>();

  const lookAtAll = async (): Promise<void> => {
    // One after another: three files of a million documents side by side would be three times the memory.
    for (const level of LEVELS) if (await look(folder, level, known[level])) version += 1;
    lookedAt = Date.now();
  };

  const levels = (): Levels => ({
    plans: known.plans.table,
    workspaces: known.workspaces.table,
    projects: known.projects.table,
  });

  return {
    kind: 'folder',
    refresh: () => {
      const isFresh = Date.now() - lookedAt < LOOK_EVERY_MS;
      return isFresh ? Promise.resolve() : looks.run(folder, lookAtAll);
    },
    levels,
    version: () => version,
    status: () => {
      const all = LEVELS.map((level) => known[level]);
      const times = all.flatMap(({ at }) => (at === null ? [] : [at]));
      const problems = LEVELS.flatMap((level) => problemOf(level, known[level]));
      const unread = all.every(({ gone }) => gone !== null);
      const first = lookedAt === 0;
      return {
        status: first ? 'loading' : unread ? 'unavailable' : problems.length > 0 ? 'partial' : 'ok',
        stale: all.some(({ gone, at }) => gone !== null && at !== null),
        problems: first ? [] : problems,
        at: times.length === 0 ? null : Math.min(...times),
      };
    },
    close: async () => undefined,
  };
};
