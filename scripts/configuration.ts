// Bundled by console.mjs: checks the configuration and its catalog files before anything starts.

import { ConfigurationError, type Env, readEnv } from '@/lib/configuration';
import { loadPolicy } from '@/lib/conventions/policy/load';
import { loadCatalogs } from '@/lib/keyspace/own/load';
import type { CatalogProblem } from '@/lib/keyspace/own/problems';

const problemOf = (
  connection: number,
  key: string,
  { file, line, column, path, found, expected }: CatalogProblem,
) => ({
  variable: `KEYWARD_CONFIG connections[${connection}].${key} ${file}:${line}:${column}${path && ` ${path}`}`,
  found,
  expected,
});

/** Relative paths start from `root`. Throws `ConfigurationError` naming every problem. */
export const readConfiguration = (environment: Record<string, string | undefined>, root: string): Env => {
  const configuration = readEnv(environment, root);
  const problems = configuration.connections.flatMap(({ catalogs, policy }, i) => [
    ...loadCatalogs(catalogs).problems.map((problem) => problemOf(i, 'catalogs', problem)),
    ...(policy === null ? [] : loadPolicy(policy).problems.map((problem) => problemOf(i, 'policy', problem))),
  ]);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
};
