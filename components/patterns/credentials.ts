import type { FactorNeeded, GivenFactor } from '@/lib/access/second-factor/schema';
import { ApiProblem, basePath } from '@/lib/api-client';
import type { ProblemDocument } from '@/lib/errors';
import { announceUser } from './session-channel';

/** Posts a form to next-auth with a CSRF token (next-auth.js.org, REST API). */
const exchange = async (path: string, fields: Record<string, string>): Promise<Response> => {
  const base = `${basePath()}/api/auth`;
  try {
    const csrf = (await (await fetch(`${base}/csrf`, { cache: 'no-store' })).json()) as {
      csrfToken?: string;
    };
    const body = new URLSearchParams({ ...fields, csrfToken: csrf.csrfToken ?? '', json: 'true' });
    return await fetch(`${base}${path}`, { method: 'POST', body, cache: 'no-store' });
  } catch {
    throw new ApiProblem(0, { detail: 'Keyward does not respond. Check your network and try again.' });
  }
};

type SignInAnswer =
  | { ok: true }
  | { ok: false; reason: 'refused' }
  | { ok: false; reason: 'second-factor'; needed: FactorNeeded }
  | { ok: false; reason: 'throttled'; retryAfterSeconds: number };

/** The second step of a sign-in. `setUp`: the token of a new second factor that the code confirms. */
export interface GivenSecondStep {
  factor: GivenFactor;
  setUp?: string;
}

/** Signs in with next-auth's `credentials` provider. Throws `ApiProblem` if the server fails. */
export const signIn = async (
  email: string,
  password: string,
  second?: GivenSecondStep,
): Promise<SignInAnswer> => {
  const response = await exchange('/callback/credentials', {
    email,
    password,
    ...(second && { factor: JSON.stringify(second.factor) }),
    ...(second?.setUp && { setUp: second.setUp }),
  });
  if (response.ok) return { ok: true };
  if (response.status === 401) {
    const { code, secondFactor } = (await response.json().catch(() => ({}))) as Partial<ProblemDocument>;
    return code === 'second_factor_required'
      ? { ok: false, reason: 'second-factor', needed: secondFactor as FactorNeeded }
      : { ok: false, reason: 'refused' };
  }
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after'));
    return {
      ok: false,
      reason: 'throttled',
      retryAfterSeconds: Number.isFinite(seconds) ? Math.max(1, seconds) : 30,
    };
  }
  const document = (await response.json().catch(() => ({}))) as Partial<ProblemDocument>;
  throw new ApiProblem(response.status, document);
};

/** The address of the company's provider, where the browser goes next. Throws `ApiProblem` if the server fails. */
export const addressOfProvider = async (callbackUrl: string): Promise<string> => {
  const response = await exchange('/signin/oidc', { callbackUrl });
  const { url, ...document } = (await response.json().catch(() => ({}))) as Partial<ProblemDocument> & {
    url?: string;
  };
  if (!url) throw new ApiProblem(response.status, document);
  return url;
};

/** While the user signs out, other requests find the session ended: that leads nowhere else. */
export const signingOut = { isBegun: false };

/**
 * Signs out and loads the sign-in page completely, so no data stays in memory; or the page of the provider that ends its
 * session, too.
 */
export const signOut = async (): Promise<void> => {
  signingOut.isBegun = true;
  const answer = await exchange('/signout', {}).catch(() => null);
  const { signOutUrl } = ((await answer?.json().catch(() => null)) ?? {}) as { signOutUrl?: string };
  announceUser(null);
  try {
    // What was opened from the search: names of people.
    sessionStorage.clear();
  } catch {
    // The browser keeps nothing.
  }
  window.location.assign(signOutUrl ?? `${basePath()}/sign-in`);
};
