import { createServer } from 'node:http';

export interface Account {
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: unknown;
}

export const CLIENT = { id: 'keyward', secret: 'the secret of the client' };

/**
 * A real OpenID provider on loopback, with its own pages for sign-in and consent. `accounts` by their subject may change
 * meanwhile.
 */
export const startProvider = async (redirectUri: string, accounts: Map<string, Account>) => {
  // Playwright cannot `require` an ES module.
  const { Provider } = await import('oidc-provider');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    // Claims of the scopes are in the ID token, as from most providers.
    conformIdTokenClaims: false,
    cookies: { keys: ['of the test'] },
    findAccount: (_, sub) =>
      accounts.has(sub) ? { accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) } : undefined,
  });
  server.on('request', provider.callback());
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { issuer, stop };
};

/** A browser as far as the provider's pages go: signs `name` in at `address`, and returns where it is sent back to. */
export const visitProvider = async (address: string, name: string): Promise<string> => {
  const cookies = new Map<string, string>();
  const send = async (url: string, body?: URLSearchParams): Promise<Response> => {
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
