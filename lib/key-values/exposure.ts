import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { badField } from '@/lib/errors';
import type { Family } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';
import { EXAMINED_TYPES, isMaskedValue } from './clear-values';
import { identify, type KeyIdentity } from './identity';
import { holdsSecrets, isSecretVariable } from './secrecy';
import { type ValueAccess, valueAccess } from './value-access';

/** A larger value is not examined: that would take too long. */
const MAX_EXAMINED_BYTES = 8 * 2 ** 20;

const refuse = (message: string) => badField('name', message);

const HOLDS_SECRETS = 'This key holds secrets, which would be shown under a name of another kind.';
const TOO_LARGE =
  'This key is too large to look for secrets, which would be shown under a name of another kind.';

/** Whether the families alone say that secrets would be shown. */
const exposesByFamily = (from: KeyIdentity, to: Key, target: Family | null): boolean => {
  const { family, key } = from;
  if (isSecretVariable(family, key) && !isSecretVariable(target, to)) return true;
  return holdsSecrets(family) && family !== target;
};

const exposesByName = (from: ValueAccess, to: ValueAccess): boolean =>
  (from.hidden === 'secret' && to.hidden !== 'secret') || (from.secretMembers && !to.secretMembers);

/** Throws 400 where a value, or a part of it, that is masked now would be shown under the new name. */
export const refuseExposure = async (
  ctx: ReadContext,
  from: KeyIdentity,
  to: Key,
  target: Family | null,
): Promise<void> => {
  if (exposesByFamily(from, to, target)) throw refuse(HOLDS_SECRETS);
  const [named] = await identify(ctx, [to]);
  const [before, after] = [valueAccess(ctx, from), valueAccess(ctx, named!)];
  if (exposesByName(before, after)) throw refuse(HOLDS_SECRETS);
  if (!before.rules.strict || after.rules.strict) return;
  const [type, bytes] = await Promise.all([
    ctx.reader.read(['TYPE', from.key]),
    ctx.reader.read(['MEMORY USAGE', from.key]),
  ]);
  // Nothing of other types is shown anywhere.
  if (bytes === null || !EXAMINED_TYPES.has(type)) return;
  if (bytes > MAX_EXAMINED_BYTES) throw refuse(TOO_LARGE);
  if (await isMaskedValue(ctx, before, from.key, type)) throw refuse(HOLDS_SECRETS);
};
