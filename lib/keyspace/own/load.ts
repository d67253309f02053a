import { log } from '@/lib/log';
import { readFile, watchedFiles } from './files';
import type { OwnCatalog } from './own-catalog';
import { type CatalogProblem, problemText } from './problems';
import { type ReadFile, readCatalogText } from './read';
import { checkTogether } from './together';

const readCatalogFile = (path: string): ReadFile => {
  const read = readFile(path);
  if ('source' in read) return readCatalogText(path, read.source);
  return { path, app: '', title: '', families: [], entities: [], declared: [], digest: '', ...read };
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

const load = (paths: readonly string[], before?: readonly OwnCatalog[]): readonly OwnCatalog[] => {
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

const catalogs = watchedFiles('own-catalogs', load);

/**
 * The catalogs of one connection, in the order of their paths. Changed files are read again, checked at most once a
 * second. If one of them is invalid, all keep the previous version.
 */
export const ownCatalogs = (paths: readonly string[]): readonly OwnCatalog[] =>
  paths.length === 0 ? [] : catalogs.of(paths);

/** Makes the next use check the files again, for tests. */
export const recheckCatalogs = catalogs.recheck;
