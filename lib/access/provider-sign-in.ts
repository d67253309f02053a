import 'server-only';
import { env, isProviderAddress, type OidcSettings } from '@/lib/configuration';
import { store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import type { Claims } from './oidc-claims';
import { signInByClaims } from './oidc-sign-in';
import { providerClient, within } from './provider-client';
import { forgetProviderSession, type ProviderTokens, startProviderSession } from './provider-sessions';
import { startSession } from './session-records';

/** How long a sign-out waits for the provider's discovery document. */
const SIGN_OUT_MS = 3 * SECOND;

/** What next-auth has verified and received. */
export interface ProviderAnswer {
  claims: Claims | undefined;
  tokens: ProviderTokens;
}

/**
 * Starts the session of who signed in at the provider; the tokens stay in the store. Null where the console lets nobody
 * in. Throws the store's 503 `Problem`.
 */
export const beginAtProvider = async (
  { claims, tokens }: ProviderAnswer,
  settings: OidcSettings,
  exchange: { address: string; requestId: string },
) => {
  const user = claims && (await signInByClaims(claims, settings, exchange));
  if (!user) return null;
  const now = Date.now();
  const begun = await startSession(store(), user, now);
  const { iss, sub, sid } = claims;
  const about = {
    issuer: String(iss),
    subject: String(sub),
    sid: typeof sid === 'string' && sid.length <= 256 ? sid : null,
  };
  await startProviderSession(store(), { session: begun.session, user: user.id, now }, about, tokens);
  return { ...begun, by: 'oidc' as const };
};

/**
 * Forgets the tokens of a session. Returns where a browser ends the provider's own session, without an ID token in the
 * address: the provider asks the user. Null where the provider has no such page, or does not answer.
 */
export const signOutAtProvider = async (session: string): Promise<string | null> => {
  await forgetProviderSession(store(), session).catch(() => undefined);
  const { oidc } = env();
  if (!oidc) return null;
  const client = await within(SIGN_OUT_MS, providerClient(oidc)).catch(() => null);
  if (!client?.issuer.metadata.end_session_endpoint) return null;
  const url = client.endSessionUrl();
  return isProviderAddress(url) ? url : null;
};
