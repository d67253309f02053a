import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import { decodeJwt, type JWTPayload, SignJWT } from 'jose';

export interface Account {
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: unknown;
  /** Further claims, nested ones among them. */
  [claim: string]: unknown;
}

export const CLIENT = { id: 'keyward', secret: 'the secret of the client' };
const KEY_ID = 'of-the-test';

interface ProviderOptions {
  /** With refresh tokens, a new one at each use; without them only an access token. */
  refreshTokens?: boolean;
  /** Where it reports that a user signed out. */
  backchannelLogoutUri?: string;
}

const newKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** Signs what a provider could have signed, by default with another key of the same name. */
export const signed = (claims: JWTPayload, key: KeyObject = newKey(), alg = 'RS256'): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg, kid: KEY_ID }).sign(key);

/**
 * A real OpenID provider on loopback, with its own pages for sign-in and consent. `accounts` by their subject may change
 * meanwhile.
 */
export const startProvider = async (
  redirectUri: string,
  accounts: Map<string, Account>,
  { refreshTokens = false, backchannelLogoutUri }: ProviderOptions = {},
) => {
  // Playwright cannot `require` an ES module.
  const { Provider } = await import('oidc-provider');
  const server = createServer();
  const listen = (on: number) => new Promise<void>((resolve) => server.listen(on, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as { port: number };
  const issuer = `http://127.0.0.1:${port}`;
  const key = newKey();
  const logout = backchannelLogoutUri && {
    backchannel_logout_uri: backchannelLogoutUri,
    backchannel_logout_session_required: true,
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', ...(refreshTokens ? ['refresh_token'] : [])],
        ...logout,
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'groups', 'realm_access'],
    },
    // Claims of the scopes are in the ID token, as from most providers.
    conformIdTokenClaims: false,
    cookies: { keys: ['of the test'] },
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }] },
    features: { backchannelLogout: { enabled: true } },
    // Its own dispatcher reaches no loopback address.
    fetch: (url, { dispatcher: _, ...options }) => fetch(url, options),
    issueRefreshToken: () => refreshTokens,
    rotateRefreshToken: () => true,
    findAccount: (_, sub) =>
      accounts.has(sub) ? { accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) } : undefined,
  });
  /** The paths of requests, and a hook that changes ID tokens. */
  const requests: string[] = [];
  const hooks: { idToken: ((claims: JWTPayload) => JWTPayload | Promise<string>) | null } = { idToken: null };
  provider.use(async (context, next) => {
    requests.push(context.path);
    await next();
    const answer = context.body as { id_token?: string } | undefined;
    if (context.path !== '/token' || !answer?.id_token || !hooks.idToken) return;
    const changed = hooks.idToken(decodeJwt(answer.id_token));
    answer.id_token = await (changed instanceof Promise ? changed : signed(changed, key));
  });
  server.on('request', provider.callback());
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  /** Listens again after `stop`, with the sessions and tokens that it had. */
  const resume = () => listen(port);
  return { issuer, stop, resume, requests, hooks, sign: (claims: JWTPayload) => signed(claims, key) };
};

export type TestProvider = Awaited<ReturnType<typeof startProvider>>;

const browser =
  (cookies: Map<string, string>) =>
  async (url: string, body?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      body: body ?? null,
      headers: { cookie },
      redirect: 'manual',
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      cookies.set(name!, value!);
    }
    return response;
  };

/** Follows the console's sign-out at the provider, and confirms it. */
export const signOutAt = async (address: string, cookies: Map<string, string>): Promise<void> => {
  const send = browser(cookies);
  const page = await (await send(address)).text();
  const [, action] = /action="([^"]+)"/.exec(page) ?? [];
  const [, xsrf] = /name="xsrf" value="(\w+)"/.exec(page) ?? [];
  if (!action || !xsrf) throw new Error(`No page to sign out at ${address}: ${page.slice(0, 500)}`);
  const answer = await send(action, new URLSearchParams({ xsrf, logout: 'yes' }));
  if (answer.status !== 303) throw new Error(`${answer.status}: ${(await answer.text()).slice(0, 500)}`);
};

/**
 * A browser as far as the provider's pages go: signs `name` in at `address`, and returns where it is sent back to. With
 * the same `cookies` it is the same browser.
 */
export const visitProvider = async (
  address: string,
  name: string,
  cookies = new Map<string, string>(),
): Promise<string> => {
  const send = browser(cookies);
  const { origin } = new URL(address);
  let [url, prompt] = [address, ''];
  for (let step = 0; step < 20; step++) {
    const isPage = url.includes('/interaction/');
    const page = await send(url);
    if (isPage) {
      prompt = /name="prompt" value="(\w+)"/.exec(await page.text())?.[1] ?? '';
      const answer = await send(url, new URLSearchParams({ prompt, login: name, password: 'any' }));
      url = new URL(answer.headers.get('location')!, origin).href;
    } else {
      const location = page.headers.get('location');
      if (!location) throw new Error(`${page.status} at ${url}: ${(await page.text()).slice(0, 500)}`);
      url = new URL(location, origin).href;
    }
    if (new URL(url).origin !== origin) return url;
  }
  throw new Error(`No end of the sign-in at ${url} (${prompt}).`);
};
