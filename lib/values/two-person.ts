import 'server-only';
import { catalogFor } from '@/lib/catalog/apps-of';
import type { ReadContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { isSameDatabase } from '@/lib/redis/same-database';
import { FLAG_PREFIX, isFlagName } from './variable-names';

const hasTwoPersonRule = ({ config }: ConnectionHandle): boolean => config.flags.approval === 'two-person';

/** Connections to the same database whose flags need two people, where one is enough to change them through this one. */
export const stricterConnections = (connection: ConnectionHandle): ConnectionHandle[] =>
  hasTwoPersonRule(connection) || connection.config.readOnly
    ? []
    : [...connections().values()].filter(
        (other) =>
          other.config.id !== connection.config.id &&
          hasTwoPersonRule(other) &&
          isSameDatabase(connection, other),
      );

/**
 * Whether flags of this connection are changed by two people: one asks, another approves. The strictest rule of all
 * connections to a database holds.
 */
export const flagsNeedApproval = ({ connection }: Pick<ReadContext, 'connection'>): boolean =>
  hasTwoPersonRule(connection) || stricterConnections(connection).length > 0;

/** Whether nobody alone may change this variable: it is a flag, and two people change those. */
export const variableNeedsApproval = (ctx: Pick<ReadContext, 'connection'>, name: string): boolean =>
  flagsNeedApproval(ctx) && isFlagName(name);

export const APPROVAL_REQUIRED =
  'Flags of this connection are changed by two people: ask for the change under Flags, and somebody else approves it.';

/** 409 where one of these variables is a flag that two people change. */
export const refuseUnapproved = (ctx: Pick<ReadContext, 'connection'>, ...names: readonly string[]): void => {
  if (names.some((name) => variableNeedsApproval(ctx, name)))
    throw new Problem('approval_required', APPROVAL_REQUIRED);
};

const NOBODYS = (): boolean => false;
/** Whatever applications a connection has: another one to the same database may have the flags. */
const VARIABLES = catalogFor(['discours']).get('discours.env-vars')!;

/** The same of keys, for what deletes or expires keys whatever they are. */
export const approvalFlagMatcher = (ctx: Pick<ReadContext, 'connection'>): ((key: Key) => boolean) => {
  if (!flagsNeedApproval(ctx)) return NOBODYS;
  const prefix = Buffer.concat([VARIABLES.compiled.literals[0]!, Buffer.from(FLAG_PREFIX)]);
  return (key) => key.length >= prefix.length && key.subarray(0, prefix.length).equals(prefix);
};
