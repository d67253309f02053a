import 'server-only';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { isSameDatabase, isUnidentified, resolveServer } from '@/lib/redis/same-database';
import { connectedProcess } from '@/lib/redis/server-process';
import { hasTwoPersonRule, stricterConnections } from './two-person';

interface RuleConflict {
  lax: ConnectionHandle;
  strict: ConnectionHandle;
  text: string;
}

/** The rule of a connection as text, equal for equal rules. */
const ruleText = ({ config: { approvals, limits } }: ConnectionHandle): string => {
  const counts = Object.entries(limits).flatMap(([role, each]) =>
    Object.entries(each ?? {}).map(([operation, limit]) => `${role} ${operation} ${limit}`),
  );
  const { operations, expiresHours, bound } = approvals;
  return JSON.stringify([[...operations].sort(), expiresHours, bound, counts.sort()]);
};

/** A read-only connection changes nothing, so its rule does not matter. */
const changing = (): ConnectionHandle[] =>
  [...connections().values()].filter(({ config }) => !config.readOnly);

const otherRules = (): RuleConflict[] =>
  changing().flatMap((lax, i) =>
    changing()
      .slice(i + 1)
      .filter((strict) => ruleText(lax) !== ruleText(strict) && isSameDatabase(lax, strict))
      .map((strict) => ({
        lax,
        strict,
        text: `Connections "${lax.config.id}" and "${strict.config.id}" use the same database, but have different approvals or limits.`,
      })),
  );

/** Pairs of connections to one database with different rules of approval, among identified servers. */
export const ruleConflicts = (): RuleConflict[] => [
  ...[...connections().values()].flatMap((lax) =>
    stricterConnections(lax).map((strict) => ({
      lax,
      strict,
      text: `Connections "${lax.config.id}" and "${strict.config.id}" use the same database, but only "${strict.config.id}" has flags: { approval: two-person }.`,
    })),
  ),
  ...otherRules(),
];

/** Pairs whose rules differ, wherever they lead. */
const differing = (): [ConnectionHandle, ConnectionHandle][] => {
  const all = [...connections().values()];
  return changing().flatMap((lax) =>
    all
      .filter((other) =>
        hasTwoPersonRule(lax) === hasTwoPersonRule(other)
          ? all.indexOf(lax) < all.indexOf(other) &&
            !other.config.readOnly &&
            ruleText(lax) !== ruleText(other)
          : !hasTwoPersonRule(lax),
      )
      .map((other): [ConnectionHandle, ConnectionHandle] => [lax, other]),
  );
};

/**
 * Identifies the servers of connections whose rules differ. Returns pairs that responded but could not be identified,
 * as text: for those, equal addresses count as the same database.
 */
export const compareServers = async (): Promise<string[]> => {
  const pairs = differing();
  const answered = new Set<ConnectionHandle>();
  await Promise.all(
    [...new Set(pairs.flat())].map(async (handle) => {
      await connectedProcess(handle).then(
        () => answered.add(handle),
        () => undefined,
      );
      await resolveServer(handle);
    }),
  );
  return pairs
    .filter((pair) => pair.every((handle) => answered.has(handle)) && isUnidentified(...pair))
    .map(([lax, other]) => `"${lax.config.id}" and "${other.config.id}"`);
};
