// Bundled by console.mjs: the configuration and the catalog files that it names, checked before anything starts.
import { loadCatalogs } from '@/lib/catalog/own/load';
import { ConfigurationError, checkSupported, type Env, readEnv } from '@/lib/env';

/** Relative paths start from `root`. Throws `ConfigurationError` naming every problem. */
export const readConfiguration = (environment: Record<string, string | undefined>, root: string): Env => {
  const configuration = readEnv(environment, root);
  checkSupported(configuration);
  const problems = configuration.connections.flatMap(({ catalogs }, i) =>
    loadCatalogs(catalogs).problems.map(({ file, line, column, path, found, expected }) => ({
      variable: `KEYWARD_CONFIG connections[${i}].catalogs ${file}:${line}:${column}${path && ` ${path}`}`,
      ...{ found, expected },
    })),
  );
  if (problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
};
