import 'server-only';
import { MATCHES_NONE, ruledKeyMatcher } from '@/lib/command/approval-keys';
import { connectionsOfDatabase } from '@/lib/command/approval-rule';
import { catalogOf, type ReadContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { bytesEqualAt } from '@/lib/keyspace/bytes';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { type FlagSource, flagSource } from './flag-source';
import { nameBytes } from './name-text';
import { keyOfBytes } from './named-keys';

export const hasTwoPersonRule = ({ config }: ConnectionHandle): boolean =>
  config.flags.approval === 'two-person';

/** Other connections to the same database that require approval for flags, while this one does not. */
export const stricterConnections = (connection: ConnectionHandle): ConnectionHandle[] =>
  hasTwoPersonRule(connection) || connection.config.readOnly
    ? []
    : connectionsOfDatabase(connection).filter(hasTwoPersonRule);

/** Whether flag changes need a second person's approval. The strictest rule of all connections to the database applies. */
export const flagsNeedApproval = ({ connection }: Pick<ReadContext, 'connection'>): boolean =>
  hasTwoPersonRule(connection) || stricterConnections(connection).length > 0;

/** The flags of a database, by the catalogs of all connections to it: this connection's catalog may have none. */
const flagSourcesOf = (connection: ConnectionHandle): FlagSource[] =>
  connectionsOfDatabase(connection).flatMap((other) => flagSource(catalogOf(other)) ?? []);

/** Keys with the fixed text of a flag's name, malformed ones too. */
const matcherOf = ({ family, prefix }: FlagSource): ((key: Key) => boolean) => {
  const { literals } = family.compiled;
  const before = Buffer.concat([literals[0]!, Buffer.from(prefix)]);
  const after = literals[literals.length - 1]!;
  if (before.length + after.length === 0) return (key) => family.parse(key) !== null;
  return (key) =>
    key.length >= before.length + after.length &&
    bytesEqualAt(key, 0, before) &&
    bytesEqualAt(key, key.length - after.length, after);
};

/** Matches keys of flags whose changes need approval, for operations that change arbitrary keys. */
export const approvalFlagMatcher = ({
  connection,
}: Pick<ReadContext, 'connection'>): ((key: Key) => boolean) => {
  if (!flagsNeedApproval({ connection })) return MATCHES_NONE;
  const matchers = flagSourcesOf(connection).map(matcherOf);
  return (key) => matchers.some((matches) => matches(key));
};

/** Matches keys that this context may not change: flags that need approval, and those of operations that need it. */
export const approvalMatcher = (
  ctx: Pick<ReadContext, 'connection' | 'isApproved'>,
): ((key: Key) => boolean) => {
  const [isFlag, isRuled] = [approvalFlagMatcher(ctx), ruledKeyMatcher(ctx)];
  return (key) => isFlag(key) || isRuled(key);
};

/** Whether this variable is a flag whose changes need approval. */
export const variableNeedsApproval = (ctx: Pick<ReadContext, 'connection'>, name: string): boolean => {
  const family = flagsNeedApproval(ctx) ? catalogOf(ctx.connection).role('variable') : undefined;
  return (
    family !== undefined && approvalFlagMatcher(ctx)(keyOfBytes(family, nameBytes(name) ?? Buffer.from(name)))
  );
};

export const APPROVAL_REQUIRED =
  'Flags of this connection need approval by a second person: request the change on the Feature flags page.';

/** 409 if one of these variables is a flag whose changes need approval. */
export const refuseUnapproved = (ctx: Pick<ReadContext, 'connection'>, ...names: readonly string[]): void => {
  if (names.some((name) => variableNeedsApproval(ctx, name)))
    throw new Problem('approval_required', APPROVAL_REQUIRED);
};
