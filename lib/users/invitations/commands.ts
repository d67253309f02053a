import 'server-only';
import { findLink, makeLink } from '@/lib/access/invitations';
import { mayUsePassword } from '@/lib/access/sign-in';
import {
  createUser,
  findUser,
  isInvited,
  removeInvited,
  type StoredUser,
  updateUser,
} from '@/lib/access/users';
import type { ConsoleWriteContext } from '@/lib/command/context';
import { defineConsoleCommand } from '@/lib/command/define';
import { notFound, Problem, withDetail } from '@/lib/errors';
import type { Locale } from '@/lib/locales';
import { iso } from '@/lib/time';
import { readPreferences } from '../preferences/store';
import { wireUser } from '../reads';
import { notUpdated, snapshot, taken, userTarget } from '../recorded';
import { linkTo, mailLink } from './mail';
import { invitationContracts } from './schema';

const conflict = (detail: string): Problem => new Problem('conflict', detail);

const requirePasswords = (email: string): void => {
  if (mayUsePassword(email)) return;
  throw conflict(
    'KEYWARD_LOCAL_ACCOUNTS is break-glass: nobody is invited, because users sign in at the provider.',
  );
};

/**
 * A reset is in the language of the user, whose account exists; an invitation in that of the admin who invites. English
 * where none is chosen.
 */
const languageFor = async ({ store, actor }: ConsoleWriteContext, user: StoredUser): Promise<Locale> => {
  const reader = !isInvited(user) ? user.id : actor.kind === 'user' ? actor.id : null;
  return (reader === null ? null : (await readPreferences(store, reader)).language) ?? 'en';
};

/** Makes the link of a user, and mails it if that is asked. Whoever is refused a mail gets the link. */
const handOut = async (ctx: ConsoleWriteContext, user: StoredUser, isMailed: boolean) => {
  const { store, actor, now } = ctx;
  const language = await languageFor(ctx, user);
  const { code, kind, expiresAt } = await makeLink(store, user, now());
  // Another admin may have made one, or disabled the user, at the same time.
  if (!(await findLink(store, code, now()))) throw notUpdated('changed', 'This user');
  const link = linkTo(code);
  const mail = { kind, to: user.email, link, until: expiresAt, actor, language };
  const notMailed = isMailed ? await mailLink(mail) : null;
  const wasMailed = isMailed && notMailed === null;
  const linkUntil = iso(expiresAt);
  return {
    result: { user: wireUser(user), link: wasMailed ? null : link, linkUntil, notMailed },
    after: { ...snapshot(user), link: kind, linkUntil, mailed: wasMailed },
  };
};

export const inviteUser = defineConsoleCommand({
  contract: invitationContracts.invite,
  target: ({ email }) => email,
  redact: ({ email, name, role, mail }) => ({ email, name, role, mail }),
  needsStepUp: () => true,
  run: async (ctx, { email, name, role, mail }) => {
    requirePasswords(email);
    const created = await createUser(ctx.store, { email, name, role, passwordHash: '' }, { now: ctx.now() });
    if (!created.ok) throw taken();
    const made = await handOut(ctx, created.user, mail).catch((error: unknown) => {
      throw withDetail(error, 'The user was created, without a link: invite again.');
    });
    return { ...made, before: null };
  },
});

export const createUserLink = defineConsoleCommand({
  contract: invitationContracts.createLink,
  target: userTarget,
  redact: ({ mail }) => ({ mail }),
  needsStepUp: () => true,
  run: async (ctx, { id, mail }) => {
    const { store, actor } = ctx;
    if (actor.id === id) throw conflict('Change your own password on the page of your account.');
    const user = await findUser(store, id);
    if (user) requirePasswords(user.email);
    if (user?.disabled) throw conflict('This user is disabled. Enable the user first.');
    if (user && user.subject !== null && user.passwordHash === '')
      throw conflict('This user signs in at the provider and has no password here.');
    // The new epoch ends an older link before there is another one.
    const updated = await updateUser(store, id, { endSessions: true }, user?.epoch);
    if (!updated.ok) throw notUpdated(updated.reason, 'This user');
    const made = await handOut(ctx, updated.after, mail).catch((error: unknown) => {
      throw withDetail(error, 'The sessions and the older link ended, and no new link was made.');
    });
    return { ...made, before: snapshot(updated.before) };
  },
});

export const withdrawInvitation = defineConsoleCommand({
  contract: invitationContracts.withdraw,
  target: userTarget,
  redact: () => ({}),
  run: async ({ store }, { id }) => {
    const user = await findUser(store, id);
    if (!user) throw notFound('This user');
    if (!isInvited(user) || user.lastSeenAt !== null)
      throw conflict('This user has signed in before. Disable the user instead.');
    if (!(await removeInvited(store, user))) throw notUpdated('changed', 'This user');
    return { result: { id }, before: snapshot(user), after: null };
  },
});
