import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { AuditJson, Impact } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { variableKey } from '@/lib/values/variable-names';
import { readEditable } from './changes';
import type { planResult } from './execute';
import { newBytes } from './rules';
import type { envContracts } from './schema';
import { auditName, type Part, recordChange, stringPart } from './secrecy';

/** Characters of a value that a request for approval shows. */
const MAX_SHOWN = 300;

/** A recorded value in one line: a secret one as its digest. */
const lineOf = (recorded: AuditJson): string | null => {
  if (recorded === null || typeof recorded !== 'object' || Array.isArray(recorded)) return null;
  const { secret, digest, value, type } = recorded;
  if (secret) return `(secret, digest ${String(digest)})`;
  return value === undefined ? `(${String(type)})` : String(value);
};

const partOf = async (ctx: ReadContext, name: string): Promise<Part | null> => {
  const key = variableKey(ctx, name);
  return key ? readEditable(ctx, key) : null;
};

const changeOf = (name: string, before: Part | null, after: Part | null): Impact => {
  const recorded = recordChange(name, before, after, MAX_SHOWN);
  return { count: 1, facts: { before: lineOf(recorded.before), after: lineOf(recorded.after) } };
};

/** The current value and the one that `env.set` or `env.create` writes. */
export const impactOfValue = async (
  ctx: ReadContext,
  input: Pick<Input<typeof envContracts.set>, 'name'> & Parameters<typeof newBytes>[0],
): Promise<Impact> => changeOf(input.name, await partOf(ctx, input.name), stringPart(newBytes(input)));

export const impactOfDeletion = async (ctx: ReadContext, { name }: { name: string }): Promise<Impact> =>
  changeOf(name, await partOf(ctx, name), null);

export const impactOfRename = async (
  _: ReadContext,
  { name, newName }: { name: string; newName: string },
): Promise<Impact> => ({ count: 1, facts: { before: auditName(name), after: auditName(newName) } });

/** The changes of an import or a restore. */
export const impactOfPlan = ({
  created,
  updated,
  deleted,
  unchanged,
  refused,
}: ReturnType<typeof planResult>): Impact => ({
  count: created + updated + deleted,
  facts: { created, updated, deleted, unchanged, refused },
});
