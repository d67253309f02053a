import 'server-only';
import { createApiToken, findApiToken, revokeApiToken } from '@/lib/access/api-tokens';
import { requireUnchangedAccess } from '@/lib/access/on-behalf-of';
import { hashPassword } from '@/lib/access/passwords';
import { createUser, updateUser } from '@/lib/access/users';
import { type Actor, actorLabel, ownerOf } from '@/lib/actor';
import { defineConsoleCommand } from '@/lib/command/define';
import { futureTime } from '@/lib/command/validate';
import type { Input } from '@/lib/contract';
import { badField, notFound, Problem } from '@/lib/errors';
import { iso, isoOrNull } from '@/lib/time';
import { admitPassword, ownUser, requireOwnPassword, updated } from './own-user';
import { preferenceContracts } from './preferences/schema';
import { readPreferences, writePreferences } from './preferences/store';
import { wireApiToken, wireUser } from './reads';
import { recorded, snapshot, taken, userTarget } from './recorded';
import { accountContracts, apiTokenContracts, userContracts } from './schema';

type UserUpdateInput = Input<typeof userContracts.update>;

export const createConsoleUser = defineConsoleCommand({
  contract: userContracts.create,
  target: ({ email }) => email,
  redact: ({ email, name, role }) => ({ email, name, role, password: '(hidden)' }),
  // Otherwise a stolen session would make itself an account or a token that nothing asks for a second factor.
  needsStepUp: () => true,
  run: async ({ store, actor, now }, { email, name, role, password }) => {
    const passwordHash = await hashPassword(password);
    await requireUnchangedAccess(store, actor);
    const created = await createUser(store, { email, name, role, passwordHash }, { now: now() });
    if (!created.ok) throw taken();
    return { result: { user: wireUser(created.user) }, before: null, after: snapshot(created.user) };
  },
});

const refuseOnOneself = (actor: Actor, input: UserUpdateInput): void => {
  if (actor.kind !== 'user' || actor.id !== input.id) return;
  if (input.disabled === true) throw new Problem('conflict', 'You cannot disable yourself.');
  if (input.role !== undefined && input.role !== actor.role)
    throw new Problem('conflict', 'You cannot change your own role: ask another admin.');
};

export const updateConsoleUser = defineConsoleCommand({
  contract: userContracts.update,
  target: userTarget,
  redact: ({ name, role, disabled, password, signOutEverywhere }) => ({
    ...(name !== undefined && { name }),
    ...(role !== undefined && { role }),
    ...(disabled !== undefined && { disabled }),
    ...(password !== undefined && { password: '(hidden)' }),
    ...(signOutEverywhere !== undefined && { signOutEverywhere }),
  }),
  needsStepUp: () => true,
  run: async ({ store, actor }, input) => {
    const { id, name, role, disabled, password, signOutEverywhere } = input;
    if ([name, role, disabled, password, signOutEverywhere].every((field) => field === undefined))
      throw badField('', 'Give at least one field to change.');
    refuseOnOneself(actor, input);
    const passwordHash = password === undefined ? undefined : await hashPassword(password);
    await requireUnchangedAccess(store, actor);
    const change = { name, role, disabled, passwordHash, endSessions: signOutEverywhere };
    const done = updated(await updateUser(store, id, change), 'This user');
    return { result: { user: wireUser(done.after), tokensEnded: done.tokensEnded }, ...recorded(done) };
  },
});

export const changePassword = defineConsoleCommand({
  contract: accountContracts.changePassword,
  target: () => 'own account',
  redact: () => ({ currentPassword: '(hidden)', newPassword: '(hidden)' }),
  admits: admitPassword,
  run: async (ctx, { currentPassword, newPassword }) => {
    const { store, actor } = ctx;
    await requireOwnPassword(ctx, currentPassword, 'currentPassword');
    const passwordHash = await hashPassword(newPassword);
    await requireUnchangedAccess(store, actor);
    const done = updated(await updateUser(store, ownUser(actor).id, { passwordHash }), 'Your account');
    return { result: { tokensEnded: done.tokensEnded }, ...recorded(done) };
  },
});

export const signOutEverywhere = defineConsoleCommand({
  contract: accountContracts.signOutEverywhere,
  target: () => 'own account',
  redact: () => ({}),
  admits: ({ actor }) => void ownUser(actor),
  run: async ({ store, actor }) => {
    const done = updated(await updateUser(store, ownUser(actor).id, { endSessions: true }), 'Your account');
    return { result: {}, ...recorded(done) };
  },
});

/** A read-only console takes it too: it changes no Redis of an application. */
export const setPreferences = defineConsoleCommand({
  contract: preferenceContracts.set,
  target: () => 'own account',
  redact: (input) => input,
  admits: ({ actor }) => void ownUser(actor),
  run: async ({ store, actor }, change) => {
    const { id } = ownUser(actor);
    const before = await readPreferences(store, id);
    await writePreferences(store, id, change);
    const after = await readPreferences(store, id);
    return { result: { preferences: after }, before, after };
  },
});

export const createToken = defineConsoleCommand({
  contract: apiTokenContracts.create,
  target: ({ name }) => name,
  redact: ({ name, role, expiresAt }) => ({ name, role, expiresAt }),
  needsStepUp: () => true,
  run: async ({ store, actor, now }, { name, role, expiresAt }) => {
    const expires = expiresAt === null ? null : futureTime('expiresAt', expiresAt, now());
    const maker = actor.kind === 'token' ? await findApiToken(store, actor.id) : null;
    const last = maker?.expiresAt ?? null;
    if (last !== null && (expires === null || expires > last)) {
      const message = `The token would outlive the one that creates it. Choose ${iso(last)} or earlier.`;
      throw badField('expiresAt', message);
    }
    const createdBy = actorLabel(actor);
    const owner = (actor.kind === 'token' ? actor.owner : ownerOf(actor)) ?? '';
    const token = { name, role, createdBy, owner, madeBy: maker?.id ?? '', expiresAt: expires };
    const made = await createApiToken(store, token, now());
    // Checked again after storing the token: a change that ends the creator's tokens either finds it or is detected
    // here.
    await requireUnchangedAccess(store, actor).catch(async (error: unknown) => {
      await revokeApiToken(store, made.apiToken.id);
      throw error;
    });
    return {
      result: { apiToken: wireApiToken(made.apiToken), token: made.token },
      before: null,
      after: { id: made.apiToken.id, name, role, expiresAt: isoOrNull(expires) },
    };
  },
});

export const revokeToken = defineConsoleCommand({
  contract: apiTokenContracts.revoke,
  target: async ({ id }, { store }) => (await findApiToken(store, id))?.name ?? id,
  redact: ({ id }) => ({ id }),
  run: async ({ store }, { id }) => {
    const revoked = await revokeApiToken(store, id);
    if (!revoked) throw notFound('This API token');
    const { name, role, expiresAt, alsoEnded } = revoked;
    return {
      result: { id, alsoEnded },
      before: { id, name, role, expiresAt: isoOrNull(expiresAt) },
      after: alsoEnded > 0 ? { alsoEnded } : null,
    };
  },
});
