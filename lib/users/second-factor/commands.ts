import 'server-only';
import { madePasskey } from '@/lib/access/second-factor/passkeys';
import {
  changeSecondFactor,
  hasSecondFactor,
  isFactorRequired,
  type SecondFactor,
} from '@/lib/access/second-factor/record';
import { newRecoveryCodes, recoveryDigest } from '@/lib/access/second-factor/recovery-codes';
import { confirmTotp } from '@/lib/access/second-factor/second-step';
import { recordStepUp, STEP_UP_MS } from '@/lib/access/second-factor/step-up';
import { checkSecondFactor } from '@/lib/access/second-factor/verify';
import { findUser, type StoredUser, updateUser } from '@/lib/access/users';
import type { ConsoleContext } from '@/lib/command/context';
import { defineConsoleCommand } from '@/lib/command/define';
import { badField, notFound, Problem } from '@/lib/errors';
import { iso } from '@/lib/time';
import { admitPassword, ownRecord, ownUser, requireOwnPassword, tooManyWrong, updated } from '../own-user';
import { wireUser } from '../reads';
import { userTarget } from '../recorded';
import { localRecord, wirePasskey } from './reads';
import { secondFactorContracts } from './schema';

const OWN = 'own account';

const wrongCode = (): Problem => badField('code', 'This code is wrong, or was used before.');

/** For the first second factor the password is asked for: whoever finds a browser signed in could add their own. */
const admitFactor = async (ctx: ConsoleContext): Promise<void> => {
  if (!hasSecondFactor(await localRecord(ctx))) await admitPassword(ctx);
};

const requireOwner = async (ctx: ConsoleContext, user: StoredUser, password = ''): Promise<void> => {
  if (!hasSecondFactor(user)) await requireOwnPassword(ctx, password, 'password');
};

/** A session that has just proved its user counts as stepped up. */
const provenNow = async ({ store, actor, now }: ConsoleContext): Promise<void> => {
  const { session } = ownUser(actor);
  if (session !== undefined) await recordStepUp(store, session, now());
};

export const confirmApp = defineConsoleCommand({
  contract: secondFactorContracts.confirmApp,
  target: () => OWN,
  redact: () => ({}),
  admits: admitFactor,
  needsStepUp: () => true,
  run: async (ctx, { token, code, password }) => {
    const user = await localRecord(ctx);
    await requireOwner(ctx, user, password);
    if (!(await confirmTotp(ctx.store, user, { token, code }, ctx.now()))) throw wrongCode();
    await provenNow(ctx);
    return { result: {}, after: { app: true } };
  },
});

export const addPasskey = defineConsoleCommand({
  contract: secondFactorContracts.addPasskey,
  target: () => OWN,
  redact: ({ name }) => ({ name }),
  admits: admitFactor,
  needsStepUp: () => true,
  run: async (ctx, { password, ...given }) => {
    const user = await localRecord(ctx);
    await requireOwner(ctx, user, password);
    const made = await madePasskey(ctx.store, user, given, ctx.now());
    if (!made) throw badField('answer', 'The browser’s answer does not fit. Try again.');
    const add = (factor: SecondFactor) => ({ ...factor, passkeys: [...factor.passkeys, made] });
    const update = await changeSecondFactor(ctx.store, user.id, add);
    if (update) updated(update, 'Your account');
    await provenNow(ctx);
    return { result: { passkey: wirePasskey(made) }, after: { passkey: made.name } };
  },
});

export const removeSecondFactor = defineConsoleCommand({
  contract: secondFactorContracts.remove,
  target: () => OWN,
  redact: ({ passkey }) => ({ what: passkey === undefined ? 'app' : 'passkey' }),
  admits: async (ctx) => void (await localRecord(ctx)),
  needsStepUp: () => true,
  run: async ({ store, actor }, { passkey }) => {
    let removed = '';
    const remove = (factor: SecondFactor, user: StoredUser) => {
      const gone = factor.passkeys.find(({ id }) => id === passkey);
      if (passkey === undefined ? factor.totp === null : !gone) throw notFound('This second factor');
      removed = gone?.name ?? 'app';
      const passkeys = factor.passkeys.filter(({ id }) => id !== passkey);
      const left = passkey === undefined ? { ...factor, totp: null } : { ...factor, passkeys };
      if (isFactorRequired(user) && left.totp === null && left.passkeys.length === 0)
        throw new Problem('conflict', 'Your role needs a second factor. Add another one first.');
      return left;
    };
    const update = await changeSecondFactor(store, ownUser(actor).id, remove);
    if (update) updated(update, 'Your account');
    return { result: {}, before: { removed } };
  },
});

export const createRecoveryCodes = defineConsoleCommand({
  contract: secondFactorContracts.createRecoveryCodes,
  target: () => OWN,
  redact: () => ({}),
  admits: async (ctx) => void (await localRecord(ctx)),
  needsStepUp: () => true,
  run: async ({ store, actor }) => {
    const { id } = ownUser(actor);
    const codes = newRecoveryCodes();
    const recoveryCodes = codes.map((code) => recoveryDigest(id, code));
    const update = await changeSecondFactor(store, id, (factor, user) => {
      if (!hasSecondFactor(user))
        throw new Problem('conflict', 'Recovery codes replace a second factor. Set one up first.');
      return { ...factor, recoveryCodes };
    });
    if (update) updated(update, 'Your account');
    return { result: { codes }, after: { recoveryCodes: codes.length } };
  },
});

export const stepUp = defineConsoleCommand({
  contract: secondFactorContracts.stepUp,
  target: () => OWN,
  redact: ({ factor }) => ({ by: 'code' in factor ? 'code' : 'passkey' }),
  admits: ({ actor }) => void ownUser(actor),
  run: async (ctx, { factor }) => {
    const user = await ownRecord(ctx);
    if (!hasSecondFactor(user)) throw new Problem('conflict', 'You have no second factor to give.');
    const checked = await checkSecondFactor(ctx.store, user, factor, ctx.now());
    if (!checked.ok) throw checked.wait > 0 ? tooManyWrong('codes', checked.wait) : wrongCode();
    await provenNow(ctx);
    return { result: { until: iso(ctx.now() + STEP_UP_MS) } };
  },
});

export const resetSecondFactor = defineConsoleCommand({
  contract: secondFactorContracts.reset,
  target: userTarget,
  redact: ({ id }) => ({ id }),
  needsStepUp: () => true,
  run: async ({ store, actor }, { id }) => {
    if (actor.kind === 'user' && actor.id === id)
      throw new Problem('conflict', 'Your own second factor is on your account page.');
    const user = await findUser(store, id);
    if (user && !hasSecondFactor(user)) throw new Problem('conflict', 'This user has no second factor.');
    const change = { secondFactor: '', endSessions: true };
    const { after } = updated(await updateUser(store, id, change), 'This user');
    return { result: { user: wireUser(after) }, after: { email: after.email, secondFactor: false } };
  },
});
