import 'server-only';
import { type Role, USER_ROLES } from '@/lib/permissions';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { isSameDatabase } from '@/lib/redis/same-database';
import { HOUR } from '@/lib/time';
import { approvableCommand, approvableOperations } from './registry';

/** When changes of a database need approval by a second user: the strictest of the rules of its connections. */
export interface ApprovalRule {
  /** Patterns of operations. */
  operations: readonly string[];
  /** The number of things that a role may change at once with an operation. */
  limits: Partial<Record<Role, Record<string, number>>>;
  /** How long a request may wait, ms. */
  expiresMs: number;
  /** The share by which the number of things may differ when a request is approved. */
  bound: number;
}

/** All connections to the database of this one, which comes first. */
export const connectionsOfDatabase = (connection: ConnectionHandle): ConnectionHandle[] => [
  connection,
  ...[...connections().values()].filter(
    (other) => other.config.id !== connection.config.id && isSameDatabase(connection, other),
  ),
];

const strictest = (all: readonly Record<string, number>[]): Record<string, number> => {
  const limits: Record<string, number> = {};
  for (const [operation, limit] of all.flatMap(Object.entries))
    limits[operation] = Math.min(limits[operation] ?? limit, limit);
  return limits;
};

export const approvalRule = (connection: ConnectionHandle): ApprovalRule => {
  const configs = connectionsOfDatabase(connection).map(({ config }) => config);
  const approvals = configs.map((config) => config.approvals);
  return {
    operations: [...new Set(approvals.flatMap(({ operations }) => operations))],
    limits: Object.fromEntries(
      USER_ROLES.map((role) => [role, strictest(configs.map(({ limits }) => limits[role] ?? {}))]),
    ),
    expiresMs: Math.min(...approvals.map(({ expiresHours }) => expiresHours)) * HOUR,
    bound: Math.min(...approvals.map(({ bound }) => bound)),
  };
};

/** Whether a pattern such as `guard.*` includes an operation. */
export const includesOperation = (pattern: string, operation: string): boolean =>
  pattern.endsWith('.*') ? operation.startsWith(pattern.slice(0, -1)) : pattern === operation;

/** The pattern by which one of these operations needs approval; null where none does. */
export const patternFor = ({ operations }: ApprovalRule, asked: readonly string[]): string | null =>
  operations.find((pattern) => asked.some((operation) => includesOperation(pattern, operation))) ?? null;

/** The smallest limit of a role for these operations; null without one. */
export const limitFor = (
  { limits }: ApprovalRule,
  role: Role | null,
  asked: readonly string[],
): number | null => {
  const ofRole = (role && limits[role]) || {};
  const found = asked.flatMap((operation) => ofRole[operation] ?? []);
  return found.length > 0 ? Math.min(...found) : null;
};

/** The operations of a connection that need approval whatever they touch. */
export const operationsToApprove = (connection: ConnectionHandle): string[] => {
  const rule = approvalRule(connection);
  return approvableOperations().filter((operation) => patternFor(rule, [operation]) !== null);
};

/** What of the configured rules names no operation: each as a sentence. Call it when all commands are registered. */
export const unknownOperations = (): string[] =>
  [...connections().values()].flatMap(({ config: { id, approvals, limits } }) => {
    const known = approvableOperations();
    const patterns = approvals.operations.filter(
      (pattern) => !known.some((operation) => includesOperation(pattern, operation)),
    );
    const limited = Object.entries(limits).flatMap(([role, counts]) =>
      Object.keys(counts ?? {})
        .filter((operation) => !approvableCommand(operation)?.impact)
        .map((operation) => ({ role, operation })),
    );
    return [
      ...patterns.map(
        (pattern) =>
          `Connection "${id}" has approvals for ${pattern}, which is no change that can need approval${pattern.startsWith('flags.') ? ': flags have one rule, flags.*' : ''}.`,
      ),
      ...limited.map(
        ({ role, operation }) =>
          `Connection "${id}" has a limit of ${role} for ${operation}, which is no change whose size is counted.`,
      ),
    ];
  });
