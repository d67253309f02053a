import 'server-only';
import { catalogFor } from '@/lib/catalog/apps-of';
import type { ReadContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { isSameDatabase } from '@/lib/redis/same-database';
import { FLAG_PREFIX, isFlagName } from './variable-names';

const hasTwoPersonRule = ({ config }: ConnectionHandle): boolean => config.flags.approval === 'two-person';

/** Other connections to the same database that require approval for flags, while this one does not. */
export const stricterConnections = (connection: ConnectionHandle): ConnectionHandle[] =>
  hasTwoPersonRule(connection) || connection.config.readOnly
    ? []
    : [...connections().values()].filter(
        (other) =>
          other.config.id !== connection.config.id &&
          hasTwoPersonRule(other) &&
          isSameDatabase(connection, other),
      );

/** Whether flag changes need a second person's approval. The strictest rule of all connections to the database applies. */
export const flagsNeedApproval = ({ connection }: Pick<ReadContext, 'connection'>): boolean =>
  hasTwoPersonRule(connection) || stricterConnections(connection).length > 0;

/** Whether this variable is a flag whose changes need approval. */
export const variableNeedsApproval = (ctx: Pick<ReadContext, 'connection'>, name: string): boolean =>
  flagsNeedApproval(ctx) && isFlagName(name);

export const APPROVAL_REQUIRED =
  'Flags of this connection need approval by a second person: request the change on the Feature flags page.';

/** 409 if one of these variables is a flag whose changes need approval. */
export const refuseUnapproved = (ctx: Pick<ReadContext, 'connection'>, ...names: readonly string[]): void => {
  if (names.some((name) => variableNeedsApproval(ctx, name)))
    throw new Problem('approval_required', APPROVAL_REQUIRED);
};

const MATCHES_NONE = (): boolean => false;
/** From the discours catalog, whatever applications this connection has: another connection to the database may have flags. */
const VARIABLES = catalogFor(['discours']).get('discours.env-vars')!;

/** Matches keys of flags whose changes need approval, for operations that delete or expire arbitrary keys. */
export const approvalFlagMatcher = (ctx: Pick<ReadContext, 'connection'>): ((key: Key) => boolean) => {
  if (!flagsNeedApproval(ctx)) return MATCHES_NONE;
  const prefix = Buffer.concat([VARIABLES.compiled.literals[0]!, Buffer.from(FLAG_PREFIX)]);
  return (key) => key.length >= prefix.length && key.subarray(0, prefix.length).equals(prefix);
};
