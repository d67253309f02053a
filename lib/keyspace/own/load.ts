import { readFileSync, statSync } from 'node:fs';
import { log } from '@/lib/log';
import { processWide } from '@/lib/process-wide';
import { SECOND } from '@/lib/time';
import type { OwnCatalog } from './own-catalog';
import { type CatalogProblem, CatalogText, problemText } from './problems';
import { type ReadFile, readCatalogText } from './read';
import { checkTogether } from './together';
import { MAX_FILE_BYTES } from './yaml-text';

const unreadable = (path: string, found: string): ReadFile => {
  const text = new CatalogText(path);
  text.add([], found, 'a file of at most 1 MiB that can be read, in UTF-8');
  return { path, app: '', title: '', families: [], entities: [], declared: [], text, digest: '' };
};

const readCatalogFile = (path: string): ReadFile => {
  try {
    const stat = statSync(path);
    // Reading a pipe would block.
    if (!stat.isFile()) return unreadable(path, 'no file');
    if (stat.size > MAX_FILE_BYTES) return unreadable(path, `${stat.size} bytes`);
    return readCatalogText(path, new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)));
  } catch (error) {
    const { code } = error as { code?: string };
    return unreadable(
      path,
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'other bytes' : `nothing (${code})`,
    );
  }
};

/** Reads the files of one connection and checks them, individually and together. */
const readCatalogs = (paths: readonly string[]): readonly ReadFile[] => {
  const files = paths.map(readCatalogFile);
  checkTogether(files);
  return files;
};

const inForce = (
  { path, app, title, families, entities, digest }: ReadFile,
  loadedAt: number,
): OwnCatalog => ({
  path,
  app,
  title,
  digest,
  loadedAt,
  inForce: true,
  problems: [],
  families: families.map(({ family }) => family),
  entities: entities.map(({ entity }) => entity),
});

/** Reads the files of one connection once. Catalogs are empty where there are problems. */
export const loadCatalogs = (
  paths: readonly string[],
): { catalogs: readonly OwnCatalog[]; problems: readonly CatalogProblem[] } => {
  if (paths.length === 0) return { catalogs: [], problems: [] };
  const files = readCatalogs(paths);
  const problems = files.flatMap(({ text }) => text.problems);
  return { catalogs: problems.length > 0 ? [] : files.map((file) => inForce(file, Date.now())), problems };
};

const CHECK_MS = SECOND;

interface Loaded {
  catalogs: readonly OwnCatalog[];
  /** Identifies the versions of the files that were last read. */
  stamp: string;
  /** A time of `performance.now()`. */
  checkedAt: number;
}

const loaded = processWide('own-catalogs', () => new Map<string, Loaded>());

/** Also detects files that an editor replaced, and changes in bind mounts, which raise no events. */
const stampOf = (path: string): string => {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join() : 'missing';
};

const stampOfAll = (paths: readonly string[]): string => {
  try {
    return paths.map(stampOf).join(' ');
  } catch {
    return 'unreadable';
  }
};

const load = (paths: readonly string[], before: readonly OwnCatalog[] | undefined): readonly OwnCatalog[] => {
  const files = readCatalogs(paths);
  const loadedAt = Date.now();
  const problems = files.flatMap(({ text }) => text.problems);
  if (problems.length === 0) {
    if (before) log('warn', `Catalogs were read again: ${paths.join(', ')}.`);
    return files.map((file) => inForce(file, loadedAt));
  }
  const what = before ? 'The new version is not used' : 'The catalog is not used';
  log('warn', `${what}:\n${problems.map((problem) => `  ${problemText(problem)}`).join('\n')}`);
  return files.map(({ path, digest, text }, i) => {
    const last = before?.[i] ?? {
      path,
      app: '',
      title: path,
      families: [],
      entities: [],
      digest: '',
      loadedAt,
    };
    return {
      ...last,
      inForce: digest === last.digest && text.count === 0,
      problems: text.problems,
    };
  });
};

/**
 * The catalogs of one connection, in the order of their paths. Changed files are read again, checked at most once a
 * second. If one of them is invalid, all keep the previous version.
 */
export const ownCatalogs = (paths: readonly string[]): readonly OwnCatalog[] => {
  if (paths.length === 0) return [];
  const id = JSON.stringify(paths);
  const known = loaded().get(id);
  const now = performance.now();
  if (known && now - known.checkedAt < CHECK_MS) return known.catalogs;
  const stamp = stampOfAll(paths);
  const catalogs = known?.stamp === stamp ? known.catalogs : load(paths, known?.catalogs);
  loaded().set(id, { catalogs, stamp, checkedAt: now });
  return catalogs;
};

/** Makes the next use check the files again, for tests. */
export const recheckCatalogs = (): void => {
  for (const catalogs of loaded().values()) catalogs.checkedAt = Number.NEGATIVE_INFINITY;
};
