import { z } from 'zod';

/** A code of an authenticator app, or a recovery code. People type spaces and dashes. */
export const code = z.string().trim().min(6).max(64);

/** What a browser answers for a passkey (WebAuthn Level 3, `toJSON`); the server's library validates it. */
const passkeyAnswer = z.looseObject({
  id: z.string().max(1400),
  response: z.record(z.string(), z.unknown()),
});

/** Proof of a new passkey. */
export const newPasskey = z.strictObject({ token: z.string().max(2000), answer: passkeyAnswer });

/** The second factor, as somebody gives it: a code, or a passkey with the token of its challenge. */
export const givenFactor = z.union([z.strictObject({ code }), newPasskey]);
export type GivenFactor = z.output<typeof givenFactor>;

/** How a second factor can be given. `passkey`: what the browser's `navigator.credentials` needs, and the challenge's token. */
export interface FactorChoices {
  /** A code of an authenticator app, or a recovery code. */
  code: boolean;
  passkey: { options: object; token: string } | null;
}

/** A new secret for an authenticator app, shown once. `token` confirms it. */
export interface NewTotp {
  secret: string;
  /** Drawn as one path in a square of `size` units. */
  qr: { size: number; path: string };
  token: string;
}

/** What a sign-in with the right password lacks. */
export interface FactorNeeded {
  choices: FactorChoices | null;
  /** The role needs a second factor and the user has none: this sets one up. */
  setUp: NewTotp | null;
  isWrong: boolean;
}
