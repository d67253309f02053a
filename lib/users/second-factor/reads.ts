import 'server-only';
import { passkeySite, passkeyToMake } from '@/lib/access/second-factor/passkeys';
import { isFactorRequired, secondFactorOf } from '@/lib/access/second-factor/record';
import { newTotp } from '@/lib/access/second-factor/totp';
import { factorChoices } from '@/lib/access/second-factor/verify';
import type { StoredUser } from '@/lib/access/users';
import type { ConsoleContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { iso } from '@/lib/time';
import { ownRecord } from '../own-user';
import type { secondFactorContracts } from './schema';

type Contracts = typeof secondFactorContracts;

export const wirePasskey = ({ id, name, createdAt }: { id: string; name: string; createdAt: number }) => ({
  id,
  name,
  createdAt: iso(createdAt),
});

/** Whom a provider or a proxy signs in gives a second factor there. */
const isAtProvider = ({ subject, passwordHash }: StoredUser): boolean =>
  subject !== null || passwordHash === '';

/** The record of the signed-in user; 409 for one who signs in at a provider. */
export const localRecord = async (ctx: ConsoleContext): Promise<StoredUser> => {
  const user = await ownRecord(ctx);
  if (isAtProvider(user))
    throw new Problem('conflict', 'You sign in at a provider, which asks for a second factor itself.');
  return user;
};

export const readSecondFactor = async (ctx: ConsoleContext): Promise<Result<Contracts['get']>> => {
  const user = await ownRecord(ctx);
  const { totp, passkeys, recoveryCodes } = secondFactorOf(user);
  return {
    app: totp !== null,
    passkeys: passkeys.map(wirePasskey),
    recoveryCodes: recoveryCodes.length,
    isRequired: isFactorRequired(user),
    atProvider: isAtProvider(user),
    passkeysPossible: passkeySite() !== null,
  };
};

export const beginApp = async (ctx: ConsoleContext): Promise<Result<Contracts['beginApp']>> =>
  newTotp(await localRecord(ctx), ctx.now());

export const beginPasskey = async (ctx: ConsoleContext): Promise<Result<Contracts['beginPasskey']>> => {
  const user = await localRecord(ctx);
  const challenge = await passkeyToMake(user, secondFactorOf(user).passkeys, ctx.now());
  if (challenge) return { ...challenge, options: { ...challenge.options } };
  throw new Problem(
    'conflict',
    'Passkeys need a console that is opened by https and a domain name, as NEXTAUTH_URL has it.',
  );
};

export const beginStepUp = async (ctx: ConsoleContext): Promise<Result<Contracts['beginStepUp']>> => {
  const { code, passkey } = await factorChoices(await ownRecord(ctx), ctx.now());
  return { code, passkey: passkey && { token: passkey.token, options: { ...passkey.options } } };
};
