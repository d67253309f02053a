import { z } from 'zod';
import { code, givenFactor, newPasskey } from '@/lib/access/second-factor/schema';
import { changeFields, contract, isoTime, noInput } from '@/lib/contract';
import { user, userId } from '../schema';

const PATH = '/api/v1/account/second-factor';
const id = z.string().max(1400);
const password = z.string().max(1024).optional().meta({
  description: 'Your password: needed for the first second factor.',
});

const passkey = z.object({ id, name: z.string(), createdAt: isoTime });

/** What `navigator.credentials` needs (WebAuthn Level 3), and the token of its challenge. */
const passkeyChallenge = z.object({ options: z.looseObject({}), token: z.string() });

export const secondFactorContracts = {
  get: contract({
    id: 'account.secondFactor',
    method: 'GET',
    path: PATH,
    permission: 'signed-in',
    summary: 'Your second factor: an authenticator app, passkeys, and how many recovery codes are left.',
    input: noInput,
    result: z.object({
      app: z.boolean(),
      passkeys: z.array(passkey),
      recoveryCodes: z.number().int(),
      isRequired: z.boolean().meta({ description: 'Your role needs one.' }),
      atProvider: z.boolean().meta({ description: 'You sign in at a provider, which asks for it.' }),
      passkeysPossible: z.boolean().meta({ description: 'The console is opened by a domain name.' }),
    }),
  }),
  beginApp: contract({
    id: 'account.beginApp',
    method: 'POST',
    path: `${PATH}/app/begin`,
    permission: 'signed-in',
    summary: 'A new secret for an authenticator app. It counts once `account.confirmApp` confirms it.',
    input: noInput,
    result: z.object({
      secret: z.string(),
      qr: z.object({ size: z.number().int(), path: z.string() }),
      token: z.string(),
    }),
  }),
  confirmApp: contract({
    id: 'account.confirmApp',
    method: 'POST',
    path: `${PATH}/app`,
    touches: ['account.secondFactor', 'users'],
    permission: 'signed-in',
    summary: 'Makes an authenticator app your second factor, with a code of it.',
    input: z.strictObject({ token: z.string().max(2000), code, password }),
    result: z.object({ auditId: z.string() }),
  }),
  beginPasskey: contract({
    id: 'account.beginPasskey',
    method: 'POST',
    path: `${PATH}/passkeys/begin`,
    permission: 'signed-in',
    summary: 'What the browser needs to make a passkey. 409 where the console has no domain name.',
    input: noInput,
    result: passkeyChallenge,
  }),
  addPasskey: contract({
    id: 'account.addPasskey',
    method: 'POST',
    path: `${PATH}/passkeys`,
    touches: ['account.secondFactor', 'users'],
    permission: 'signed-in',
    summary: 'Adds a passkey.',
    input: newPasskey.extend({ name: z.string().trim().min(1).max(60), password }),
    result: z.object({ passkey, auditId: z.string() }),
    status: 201,
  }),
  remove: contract({
    id: 'account.removeSecondFactor',
    method: 'POST',
    path: `${PATH}/remove`,
    touches: ['account.secondFactor', 'users'],
    permission: 'signed-in',
    summary: 'Removes a passkey, or the authenticator app. 409 for the last one where your role needs one.',
    input: z.strictObject({ passkey: id.optional() }),
    result: z.object({ auditId: z.string() }),
  }),
  createRecoveryCodes: contract({
    id: 'account.createRecoveryCodes',
    method: 'POST',
    path: `${PATH}/recovery-codes`,
    touches: ['account.secondFactor'],
    permission: 'signed-in',
    summary: 'New recovery codes, shown only once. The earlier ones end.',
    input: noInput,
    result: z.object({ codes: z.array(z.string()), auditId: z.string() }),
    status: 201,
  }),
  beginStepUp: contract({
    id: 'account.beginStepUp',
    method: 'POST',
    path: '/api/v1/account/step-up/begin',
    permission: 'signed-in',
    summary: 'How you can give your second factor again.',
    input: noInput,
    result: z.object({ code: z.boolean(), passkey: passkeyChallenge.nullable() }),
  }),
  stepUp: contract({
    id: 'account.stepUp',
    method: 'POST',
    path: '/api/v1/account/step-up',
    permission: 'signed-in',
    summary: 'Gives your second factor again. It counts for ten minutes in this session.',
    input: z.strictObject({ factor: givenFactor }),
    result: z.object({ until: isoTime, auditId: z.string() }),
  }),
  reset: contract({
    id: 'users.resetSecondFactor',
    method: 'POST',
    path: '/api/v1/users/{id}/second-factor/reset',
    touches: ['users'],
    permission: 'users:manage',
    summary: "Removes a user's second factor and recovery codes, after they lost both. Their sessions end.",
    input: z.strictObject({ id: userId, ...changeFields }),
    result: z.object({ user, auditId: z.string() }),
  }),
};
