import { z } from 'zod';
import { changeFields, contract, isoTime } from '@/lib/contract';
import { USER_ROLES } from '@/lib/permissions';
import { email, name, password, user, userId } from '../schema';

const LINK_KINDS = ['invitation', 'reset'] as const;

const mail = z.boolean().default(false).meta({
  description:
    'Sends the link to the user by mail (KEYWARD_SMTP_URL) instead of returning it: an invitation in your language, a reset in that of the user.',
});

const linked = z.object({
  user,
  link: z
    .string()
    .nullable()
    .meta({ description: 'Shown only here; a path where NEXTAUTH_URL is not set. null: it was mailed.' }),
  linkUntil: isoTime,
  notMailed: z.string().nullable().meta({ description: 'Why the mail was not sent, if it was to be.' }),
  auditId: z.string(),
});

/** How users get a password that nobody else knows: by a link that works once. */
export const invitationContracts = {
  invite: contract({
    id: 'users.invite',
    method: 'POST',
    path: '/api/v1/users/invitations',
    permission: 'users:manage',
    summary:
      'Creates a user without a password, and a link for seven days with which the user chooses one. 409 when the address is taken.',
    input: z.strictObject({ email, name, role: z.enum(USER_ROLES), mail, ...changeFields }),
    result: linked,
    status: 201,
  }),
  createLink: contract({
    id: 'users.createLink',
    method: 'POST',
    path: '/api/v1/users/{id}/link',
    permission: 'users:manage',
    summary:
      'A new link in place of an older one: for seven days for an invited user, for 24 hours for one who forgot the password. It ends the sessions of the user; the old password works until the new one is set, which revokes the API tokens.',
    input: z.strictObject({ id: userId, mail, ...changeFields }),
    result: linked,
    status: 201,
  }),
  withdraw: contract({
    id: 'users.withdrawInvitation',
    method: 'DELETE',
    path: '/api/v1/users/{id}/invitation',
    permission: 'users:manage',
    summary: 'Removes a user who was invited and never signed in. The link ends.',
    input: z.strictObject({ id: userId, ...changeFields }),
    result: z.object({ id: z.string(), auditId: z.string() }),
  }),
};

/** Longer than any code: what is no code is answered like an unknown one. */
const code = z.string().min(1).max(200);

/** What the page of a link asks, without a session. */
export const linkContracts = {
  get: contract({
    id: 'account.invitation',
    method: 'POST',
    path: '/api/v1/account/invitation',
    permission: 'public',
    summary: 'Whom the code of a link is for, and until when. 404 when it is not valid.',
    input: z.strictObject({ code }),
    result: z.object({
      email: z.string(),
      name: z.string(),
      kind: z.enum(LINK_KINDS),
      linkUntil: isoTime,
    }),
  }),
  accept: contract({
    id: 'account.acceptInvitation',
    method: 'POST',
    path: '/api/v1/account/invitation/accept',
    permission: 'public',
    summary: 'Sets the password with the code of a link, once. Sessions and API tokens of the user end.',
    input: z.strictObject({ code, password }),
    result: z.object({ email: z.string(), auditId: z.string() }),
  }),
};
