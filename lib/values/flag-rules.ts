import 'server-only';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { isUnidentified, resolveServer } from '@/lib/redis/same-database';
import { connectedProcess } from '@/lib/redis/server-process';
import { stricterConnections } from './two-person';

/** Pairs of connections to one database where only one requires approval for flags, among identified servers. */
export const ruleConflicts = (): { lax: ConnectionHandle; strict: ConnectionHandle; text: string }[] =>
  [...connections().values()].flatMap((lax) =>
    stricterConnections(lax).map((strict) => ({
      lax,
      strict,
      text: `Connections "${lax.config.id}" and "${strict.config.id}" use the same database, but only "${strict.config.id}" has flags: { approval: two-person }.`,
    })),
  );

const withRule = (rule: 'none' | 'two-person'): ConnectionHandle[] =>
  [...connections().values()].filter(({ config }) => config.flags.approval === rule);

/**
 * Identifies the servers of connections whose rules differ. Returns pairs that responded but could not be identified,
 * as text: for those, equal addresses count as the same database.
 */
export const compareServers = async (): Promise<string[]> => {
  const strict = withRule('two-person');
  // A read-only connection changes nothing, so its rule does not matter.
  const lax = withRule('none').filter(({ config }) => !config.readOnly);
  if (lax.length === 0 || strict.length === 0) return [];
  const answered = new Set<ConnectionHandle>();
  await Promise.all(
    [...lax, ...strict].map(async (handle) => {
      await connectedProcess(handle).then(
        () => answered.add(handle),
        () => undefined,
      );
      await resolveServer(handle);
    }),
  );
  return lax.flatMap((handle) =>
    strict
      .filter((other) => answered.has(handle) && answered.has(other) && isUnidentified(handle, other))
      .map((other) => `"${handle.config.id}" and "${other.config.id}"`),
  );
};
