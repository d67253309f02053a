// The work of `npm run catalog`, bundled for plain Node.
import { relative } from 'node:path';
import { APP_IDS, type AppId } from '@/lib/apps';
import { collectUnclassified } from '@/lib/catalog/unclassified-keys';
import { readEnv } from '@/lib/configuration';
import { plural } from '@/lib/format';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { displayBytes } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import { catalogYaml, inferFamilies } from '@/lib/keyspace/infer';
import { maskSecrets } from '@/lib/keyspace/mask';
import { loadCatalogs } from '@/lib/keyspace/own/load';
import type { OwnCatalog } from '@/lib/keyspace/own/own-catalog';
import { problemText } from '@/lib/keyspace/own/problems';
import type { Registry } from '@/lib/keyspace/registry';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';

/** The lines to print, and whether the files are valid. */
interface Checked {
  ok: boolean;
  lines: string[];
}

/** A path in the current folder relative to it. */
const nameOf = (path: string, cwd: string): string => {
  const name = relative(cwd, path);
  return name === '' || name.startsWith('..') ? path : name;
};

const summaryOf = (catalog: OwnCatalog, cwd: string): string => {
  const { families, entities, path } = catalog;
  const roles = [...new Set(families.flatMap(({ role }) => role ?? []))];
  const parts = [
    plural(families.length, 'family', 'families'),
    roles.length === 0 ? 'no roles' : `${plural(roles.length, 'role')}: ${roles.join(', ')}`,
    ...(entities.length > 0 ? [plural(entities.length, 'entity', 'entities')] : []),
  ];
  return `${nameOf(path, cwd)}: ${parts.join(', ')}`;
};

const MAX_WARNINGS = 20;

/** A pattern meant as a glob is valid, but matches only one key. */
const globWarning = ({ id, pattern }: Family): string[] =>
  /[*?]/u.test(pattern) && !pattern.includes('{')
    ? [`Warning: ${id} matches the one key ${JSON.stringify(pattern)}: parameters are written as {name}`]
    : [];

/** Families whose patterns are not checked with keys. */
const examplesWarning = (families: readonly Family[]): string[] => {
  const ids = families.filter(({ examples }) => !examples?.length).map(({ id }) => id);
  const more = ids.length > 5 ? ` and ${ids.length - 5} more` : '';
  return ids.length > 0
    ? [
        `Warning: no examples for ${ids.slice(0, 5).join(', ')}${more}: no key is compared with their patterns`,
      ]
    : [];
};

/** The effects of a valid catalog on other families: keys that both match, and pages that it takes over. */
const warningsOf = (registry: Registry, own: readonly OwnCatalog[]): string[] => {
  const apps = new Set(own.map(({ app }) => app));
  const isOwn = (id: string) => apps.has(id.slice(0, id.indexOf('.')));
  const isOfConsole = (id: string) => id.startsWith('console.');
  const overlaps = registry.overlaps
    .filter(({ families }) => families.some(isOwn) && !families.some(isOfConsole))
    .map(({ families, example, winner }) => {
      const key = maskSecrets(displayBytes(Buffer.from(example), 80), true);
      return `Warning: ${families.join(' and ')} both match ${JSON.stringify(key)}: it counts for ${winner}`;
    });
  const shadowed = registry.shadowed.map(
    ({ family, by }) => `Warning: ${by.id} has the role ${family.role} instead of ${family.id}`,
  );
  const more = overlaps.length - MAX_WARNINGS;
  const globs = own.flatMap(({ families }) => families.flatMap(globWarning));
  return [
    ...globs,
    ...own.flatMap(({ families }) => examplesWarning(families)),
    ...overlaps.slice(0, MAX_WARNINGS),
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...shadowed,
  ];
};

/** A connection like the console's, for reading only. Does not touch its own keys and other connections. */
const connect = (url: string, apps: readonly AppId[]): ConnectionHandle => {
  const environment = { ...process.env, REDIS_URL: url, KEYWARD_CONFIG: '', KEYWARD_APPS: apps.join() };
  Object.assign(process.env, environment);
  const [main] = readEnv(environment).connections;
  return openConnection({ ...main!, readOnly: true });
};

interface Sampling {
  url: string;
  /** Maximum number of keys examined. */
  keys: number;
  /** The known applications that also use the Redis. */
  apps: readonly AppId[];
}

/** Collects keys without a family under the scan budget. Only names, types and TTLs are read, and a few short values. */
const collect = async ({ url, keys, apps }: Sampling, catalog: Registry) => {
  const handle = connect(url, apps);
  try {
    return await collectUnclassified(handle, catalog, {
      prefixes: null,
      maxScanned: keys,
      signal: new AbortController().signal,
      onShare: async () => undefined,
    });
  } finally {
    handle.topology.close();
  }
};

const coverageOf = async (sampling: Sampling, registry: Registry): Promise<string[]> => {
  const { keys, malformed, scanned, samples, complete } = await collect(sampling, registry);
  if (scanned === 0) return ['There are no keys.'];
  const misfits = [...malformed].sort(([, a], [, b]) => b - a);
  const fitting = scanned - keys - misfits.reduce((sum, [, count]) => sum + count, 0);
  const share = (100 * fitting) / scanned;
  const scope = complete ? plural(scanned, 'key') : `a sample of ${plural(scanned, 'key')}`;
  const missing = inferFamilies(samples).families.slice(0, 5);
  return [
    `${share.toFixed(1)} % of ${scope} are classified.`,
    ...misfits
      .slice(0, MAX_WARNINGS)
      .map(([id, count]) => `  malformed: ${plural(count, 'key')} of ${id}, which do not fit its pattern`),
    ...missing.map(({ pattern, keys: count }) => `  without a family: ${pattern} (${plural(count, 'key')})`),
  ];
};

/** Checks files as a connection with `apps` would load them and, with `sampling`, counts what they classify there. */
export const checkFiles = async (
  paths: readonly string[],
  apps: readonly AppId[],
  sampling: Sampling | null,
  cwd: string,
): Promise<Checked> => {
  const { catalogs, problems } = loadCatalogs(paths);
  if (problems.length > 0) {
    const lines = problems.map((problem) => problemText({ ...problem, file: nameOf(problem.file, cwd) }));
    return { ok: false, lines: [...lines, plural(problems.length, 'problem')] };
  }
  const registry = catalogFor(apps, undefined, catalogs);
  const lines = [...catalogs.map((catalog) => summaryOf(catalog, cwd)), ...warningsOf(registry, catalogs)];
  return { ok: true, lines: sampling ? [...lines, ...(await coverageOf(sampling, registry))] : lines };
};

/** A catalog file for the keys of a Redis that `apps` do not classify, and a summary. */
export const inferFile = async (
  app: string,
  sampling: Sampling,
): Promise<{ yaml: string; summary: string }> => {
  const { samples, keys, scanned, complete } = await collect(sampling, catalogFor(sampling.apps));
  const { families, covered } = inferFamilies(samples);
  const share = keys === 0 ? 100 : (100 * covered) / keys;
  const scope = `${plural(keys, 'key')} without a family, of ${complete ? '' : 'a sample of '}${plural(scanned, 'key')}`;
  if (families.length === 0) return { yaml: '', summary: `There is nothing to propose: ${scope}.` };
  const proposed = plural(families.length, 'family', 'families');
  return { yaml: catalogYaml(app, families), summary: `${proposed} for ${share.toFixed(1)} % of ${scope}.` };
};

export { APP_IDS };
