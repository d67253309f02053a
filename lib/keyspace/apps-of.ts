import { APP_IDS, type AppId } from '@/lib/apps';
import { commonBeside } from './apps/common';
import { consoleFamilies } from './apps/console';
import { discoursFamilies } from './apps/discours';
import { discoursEntities } from './apps/discours-rules';
import { DEFAULT_HAWK_NAMES, type HawkNames, hawkFamilies } from './apps/hawk';
import { minidouyinFamilies } from './apps/minidouyin';
import { minidouyinEntities } from './apps/minidouyin-rules';
import { qianxunFamilies } from './apps/qianxun';
import { qianxunEntities } from './apps/qianxun-rules';
import type { EntityDefinition } from './entities';
import type { Family } from './family';
import type { OwnCatalog } from './own/own-catalog';
import { createRegistry, type Registry } from './registry';

const FAMILIES: Record<AppId, (hawk: HawkNames) => readonly Family[]> = {
  discours: () => discoursFamilies,
  hawk: hawkFamilies,
  minidouyin: () => minidouyinFamilies,
  qianxun: () => qianxunFamilies,
};

const ENTITIES: Partial<Record<AppId, readonly EntityDefinition[]>> = {
  discours: discoursEntities,
  minidouyin: minidouyinEntities,
  qianxun: qianxunEntities,
};

const made = new Map<string, Registry>();
/** More versions than connections use at a time: registries of earlier versions are dropped. */
const MAX_MADE = 200;

/**
 * The registry of a connection's apps and its own catalogs, always including the console's own families and those of
 * the common prefixes. The error collector's key names come from the connection's configuration. Cached by content:
 * the same arguments return the same registry. Throws where own catalogs contradict each other, which their loader
 * refuses.
 */
export const catalogFor = (
  apps: readonly AppId[],
  hawk: HawkNames = DEFAULT_HAWK_NAMES,
  own: readonly OwnCatalog[] = [],
): Registry => {
  const listed = APP_IDS.filter((app) => apps.includes(app));
  const names = [hawk.disabledProjects, hawk.blacklistIps, hawk.allIps, hawk.currentPeriod];
  const versions = own.map(({ app, digest }) => [app, digest]);
  const id = JSON.stringify([listed, listed.includes('hawk') ? names : [], versions]);
  const known = made.get(id);
  if (known !== undefined) return known;
  const families = [
    ...listed.flatMap((app) => FAMILIES[app](hawk)),
    ...own.flatMap((catalog) => catalog.families),
  ];
  const registry = createRegistry(
    [...Object.values(consoleFamilies), ...families, ...commonBeside(families)],
    new Set(own.map(({ app }) => app)),
    [...listed.flatMap((app) => ENTITIES[app] ?? []), ...own.flatMap((catalog) => catalog.entities)],
  );
  if (made.size >= MAX_MADE) made.delete(made.keys().next().value!);
  made.set(id, registry);
  return registry;
};
