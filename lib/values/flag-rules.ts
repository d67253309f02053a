import 'server-only';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { isUnidentified, resolveServer } from '@/lib/redis/same-database';
import { connectedProcess } from '@/lib/redis/server-process';
import { stricterConnections } from './two-person';

/** Two connections to one database of which only one wants two people for flags; as far as is known by now. */
export const ruleConflicts = (): { lax: ConnectionHandle; strict: ConnectionHandle; text: string }[] =>
  [...connections().values()].flatMap((lax) =>
    stricterConnections(lax).map((strict) => ({
      lax,
      strict,
      text: `Connections "${lax.config.id}" and "${strict.config.id}" lead to one database, and only "${strict.config.id}" has flags: { approval: two-person }.`,
    })),
  );

const withRule = (rule: 'none' | 'two-person'): ConnectionHandle[] =>
  [...connections().values()].filter(({ config }) => config.flags.approval === rule);

/**
 * Asks the servers who they are, where rules differ. Answers the pairs of which nobody can say whether they are one
 * database although both answer: then their addresses decide.
 */
export const compareServers = async (): Promise<string[]> => {
  const strict = withRule('two-person');
  // Nothing can be changed through a read-only one, whatever its rule is.
  const lax = withRule('none').filter(({ config }) => !config.readOnly);
  if (lax.length === 0 || strict.length === 0) return [];
  const answered = new Set<ConnectionHandle>();
  await Promise.all(
    [...lax, ...strict].map(async (handle) => {
      await resolveServer(handle);
      await connectedProcess(handle).then(
        () => answered.add(handle),
        () => undefined,
      );
    }),
  );
  return lax.flatMap((handle) =>
    strict
      .filter((other) => answered.has(handle) && answered.has(other) && isUnidentified(handle, other))
      .map((other) => `"${handle.config.id}" and "${other.config.id}"`),
  );
};
