import { APP_IDS, type AppId } from '@/lib/apps';
import { consoleFamilies } from './apps/console';
import { discoursFamilies } from './apps/discours';
import { DEFAULT_HAWK_NAMES, type HawkNames, hawkFamilies } from './apps/hawk';
import { minidouyinFamilies } from './apps/minidouyin';
import { qianxunFamilies } from './apps/qianxun';
import type { Family } from './family';
import { createRegistry, type Registry } from './registry';

const FAMILIES: Record<AppId, (hawk: HawkNames) => readonly Family[]> = {
  discours: () => discoursFamilies,
  hawk: hawkFamilies,
  minidouyin: () => minidouyinFamilies,
  qianxun: () => qianxunFamilies,
};

const made = new Map<string, Registry>();

/**
 * The registry of a connection's apps, always including the console's own families. The error collector's key names
 * come from the connection's configuration. Cached: the same arguments return the same registry.
 */
export const catalogFor = (apps: readonly AppId[], hawk: HawkNames = DEFAULT_HAWK_NAMES): Registry => {
  const listed = APP_IDS.filter((app) => apps.includes(app));
  const names = [hawk.disabledProjects, hawk.blacklistIps, hawk.allIps, hawk.currentPeriod];
  const id = JSON.stringify([listed, listed.includes('hawk') ? names : []]);
  const known = made.get(id);
  if (known !== undefined) return known;
  const families = listed.flatMap((app) => FAMILIES[app](hawk));
  const registry = createRegistry([...Object.values(consoleFamilies), ...families]);
  made.set(id, registry);
  return registry;
};
