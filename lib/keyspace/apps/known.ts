import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppId } from '@/lib/apps';
import { processWide } from '@/lib/process-wide';
import type { EntityDefinition } from '../entities';
import type { Family } from '../family';
import { problemText } from '../own/problems';
import { readCatalogText } from '../own/read';

interface KnownCatalog {
  readonly families: readonly Family[];
  readonly entities: readonly EntityDefinition[];
}

/** Reading a file takes some tenths of a second: instrumentation and pages share what was read. */
const known = processWide('known-catalogs', () => new Map<AppId, KnownCatalog>());

const load = (app: AppId): KnownCatalog => {
  const path = `lib/keyspace/apps/${app}.yaml`;
  const file = join(process.cwd(), path);
  if (!existsSync(file)) throw new Error(`lib/apps.ts lists ${app}, but there is no ${path}`);
  const { families, entities, text } = readCatalogText(path, readFileSync(file, 'utf8'));
  if (text.count > 0) throw new Error(text.problems.map(problemText).join('\n'));
  return {
    families: families.map(({ family }) => family),
    entities: entities.map(({ entity }) => entity),
  };
};

/**
 * The catalog of a known application. Its file is read once, as a team's file is, from the project's root: `next start`
 * runs there. Throws with every problem of the file.
 */
export const knownCatalog = (app: AppId): KnownCatalog => {
  const catalog = known().get(app) ?? load(app);
  known().set(app, catalog);
  return catalog;
};
