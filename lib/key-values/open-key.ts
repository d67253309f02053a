import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { findKey } from '@/lib/command/key-ids';
import { badField } from '@/lib/errors';
import { identify, type KeyIdentity } from './identity';

const GUESSED = 'Open this key from a list of keys: its name may be a secret.';

/**
 * The key of an id, with its family. Throws as `findKey`, and 400 for the plain id of a name that may be a password: the
 * answer would reveal whether it was guessed right.
 */
export const openKey = async (ctx: ReadContext, keyId: string): Promise<KeyIdentity> => {
  const [identity] = await identify(ctx, [await findKey(ctx, keyId)]);
  if (!identity || (identity.guessable && !/^[sh]\./.test(keyId))) throw badField('keyId', GUESSED);
  return identity;
};
