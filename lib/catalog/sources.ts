import 'server-only';
import { basename } from 'node:path';
import { ownCatalogs } from '@/lib/keyspace/own/load';
import type { OwnCatalog } from '@/lib/keyspace/own/own-catalog';
import type { CatalogProblem } from '@/lib/keyspace/own/problems';
import type { Registry } from '@/lib/keyspace/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { iso } from '@/lib/time';
import type { CatalogSource } from './schema';

/** The name of the file that declares an application; null where it is built in. */
export const sourceNameOf = ({ config }: ConnectionHandle): ((app: string) => string | null) => {
  const names = new Map(ownCatalogs(config.catalogs).map(({ app, path }) => [app, basename(path)]));
  return (app) => names.get(app) ?? null;
};

const fileSource = (
  { path, app, families, loadedAt, inForce, problems }: OwnCatalog,
  toProblem: (problem: CatalogProblem) => CatalogSource['problems'][number],
): CatalogSource => ({
  file: basename(path),
  app,
  families: families.length,
  inForce,
  // A file that never was valid has no version in force.
  loadedAt: families.length > 0 ? iso(loadedAt) : null,
  problems: problems.map(toProblem),
});

/** Where the families in force come from: the connection's applications, then its own files. */
export const sourcesOf = ({ config }: ConnectionHandle, catalog: Registry): CatalogSource[] => {
  const own = ownCatalogs(config.catalogs);
  /** Paths of this machine are none of a viewer's business. */
  const withoutPaths = (text: string): string =>
    own.reduce((out, { path }) => out.replaceAll(path, basename(path)), text);
  return [
    ...config.apps.map((app) => ({
      file: null,
      app,
      loadedAt: null,
      inForce: true,
      problems: [],
      families: catalog.families.filter((family) => family.app === app).length,
    })),
    ...own.map((each) =>
      fileSource(each, ({ line, column, path, found, expected }) => ({
        line,
        column,
        path: withoutPaths(path),
        message: withoutPaths(`found ${found}, expected ${expected}`),
      })),
    ),
  ];
};
