import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { expect, test } from './fixtures';

/** Pages that a role can open: neither their content nor their responses may contain a token. */
const PAGES = [
  ...['overview', 'sessions', 'sessions?user=5', 'flags', 'guard', 'caches'],
  ...['analysis', 'analysis?tab=biggest', 'analysis?tab=unclassified', 'conventions', 'diagnostics'],
  ...['tokens', 'tokens?tab=verification', 'tokens?tab=states', 'keys', 'keys?family=discours.session'],
];
/** Of the connection whose keys are named by user names and passwords. */
const SOCIAL_PAGES = [
  ...[
    'entities?kind=minidouyin.user',
    'entities?kind=minidouyin.user&id=41',
    'keys?family=minidouyin.follows-token',
  ],
  ...['keys?family=minidouyin.user-token', 'rooms', 'presence', 'catalog'],
];
const GLOBAL_PAGES = ['jobs', 'audit', 'users', 'account'];

/** The parts of a secret to search for: all of a short one, the signature and payload of a JWT. */
const partsOf = (secret: string): string[] => {
  const parts = secret.split('.').filter((part) => part.length >= 16);
  return secret.split('.').length === 3 && parts.length > 0 ? parts.slice(-2) : [secret];
};

const HEAD = 12;

/** Secrets indexed by their first characters: searching a text for thousands of them one by one takes seconds. */
type Secrets = ReadonlyMap<string, readonly string[]>;

const readSecrets = (file: string): Secrets => {
  const secrets = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.length >= HEAD);
  expect(secrets.length).toBeGreaterThan(1000);
  const byHead = new Map<string, string[]>();
  for (const part of new Set(secrets.flatMap(partsOf))) {
    const head = part.slice(0, HEAD);
    const same = byHead.get(head);
    if (same) same.push(part);
    else byHead.set(head, [part]);
  }
  return byHead;
};

const leaksIn = (text: string, secrets: Secrets): string[] => {
  const found = new Set<string>();
  for (let at = 0; at + HEAD <= text.length; at++)
    for (const secret of secrets.get(text.slice(at, at + HEAD)) ?? [])
      if (text.startsWith(secret, at)) found.add(secret);
  return [...found];
};

test.describe.configure({ mode: 'serial' });

test('no token or secret of the demo is in any page, response or URL', async ({ signInAs, state }) => {
  test.setTimeout(120_000);
  const secrets = readSecrets(state.tokensFile);
  const page = await signInAs('admin');
  const seen: { url: string; text: string }[] = [];
  const pending: Promise<unknown>[] = [];
  page.on('response', (answer) => {
    const kind = answer.headers()['content-type'] ?? '';
    if (!/json|html|text\/x-component/.test(kind)) return;
    pending.push(
      answer.text().then(
        (text) => seen.push({ url: answer.url(), text }),
        () => undefined,
      ),
    );
  });
  const paths = [
    ...PAGES.map((name) => `/live/${name}`),
    ...SOCIAL_PAGES.map((name) => `/social/${name}`),
    ...GLOBAL_PAGES.map((name) => `/${name}`),
  ];
  for (const path of paths) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    seen.push({ url: page.url(), text: await page.content() });
  }
  await Promise.all(pending);
  for (const { url, text } of seen) {
    expect(leaksIn(text, secrets), `in ${url}`).toEqual([]);
    expect(leaksIn(url, secrets), 'in an address').toEqual([]);
  }
});

test('no token or secret is in any response about sessions, users and caches', async ({ request, state }) => {
  test.setTimeout(120_000);
  const secrets = readSecrets(state.tokensFile);
  const headers = { authorization: `Bearer ${state.apiToken}` };
  const get = async (path: string): Promise<Record<string, unknown>> => {
    const answer = await request.get(`/api/v1/connections/demo/${path}`, { headers });
    const text = await answer.text();
    expect(leaksIn(text, secrets), path).toEqual([]);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const users = new Set<string>();
  let cursor: unknown = '';
  do {
    const page = await get(
      `sessions?limit=500${cursor ? `&cursor=${encodeURIComponent(String(cursor))}` : ''}`,
    );
    for (const item of page.items as { userId: string | null }[]) if (item.userId) users.add(item.userId);
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(users.size).toBeGreaterThan(100);
  for (const id of [...users].slice(0, 40)) await get(`sessions/users/${id}?complete=true`);
  for (const kind of ['oauth', 'verification', 'oauth-states']) await get(`tokens/${kind}?limit=500`);
  await get('flags');
  const { groups } = (await get('env')) as { groups: { variables: { name: string }[] }[] };
  for (const { name } of groups.flatMap(({ variables }) => variables))
    await get(`env/${encodeURIComponent(name)}/history`);
  await get('env-backups');
  const exported = await request.post('/api/v1/connections/demo/env-file/export', {
    headers,
    data: { secrets: false },
  });
  expect(leaksIn(await exported.text(), secrets)).toEqual([]);
  await get('guard/blacklist');
  for (const family of [
    'discours.session',
    'discours.verification',
    'discours.legacy-session',
    'discours.env-vars',
  ]) {
    const answer = await request.post('/api/v1/connections/demo/caches/preview', {
      headers,
      data: { family },
    });
    expect(leaksIn(await answer.text(), secrets), family).toEqual([]);
  }
  // A session's key as an exact key: its name is a secret in the request, and must not come back.
  const redis = new Redis(state.redisUrl);
  const [, found] = await redis.scan(0, 'MATCH', 'session:*', 'COUNT', 10_000);
  redis.disconnect();
  const keyIds = [Buffer.from(found[0]!).toString('base64url')];
  const preview = await request.post('/api/v1/connections/demo/caches/preview', {
    headers,
    data: { keyIds },
  });
  const text = await preview.text();
  expect(leaksIn(text, secrets)).toEqual([]);
  expect(text).not.toContain(keyIds[0]!);
});

test('a secret variable is in the response that reveals it, and nowhere else', async ({
  signInAs,
  request,
  state,
}) => {
  test.setTimeout(120_000);
  const secrets = readSecrets(state.tokensFile);
  const page = await signInAs('admin');
  const answers: { url: string; text: Promise<string> }[] = [];
  page.on('response', (answer) => {
    if (/json|html|x-component/.test(answer.headers()['content-type'] ?? ''))
      answers.push({ url: answer.url(), text: answer.text().catch(() => '') });
  });
  const row = page.getByRole('listitem').filter({ hasText: 'EDITOR_SESSION' });
  await page.goto('/demo/env');
  await expect(row).toBeVisible({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Reveal EDITOR_SESSION' }).click();
  await expect(page.getByTestId('revealed')).toBeVisible();
  expect(leaksIn(await page.content(), secrets)).not.toEqual([]);
  await page.getByRole('button', { name: 'Hide now' }).click();
  await expect(page.getByTestId('revealed')).toHaveCount(0);
  for (const path of ['env', 'env?history=EDITOR_SESSION', 'env?tab=backups', 'flags']) {
    await page.goto(`/demo/${path}`);
    await page.waitForLoadState('networkidle');
    expect(leaksIn(await page.content(), secrets), path).toEqual([]);
  }
  for (const { url, text } of answers) {
    expect(leaksIn(url, secrets), 'in an address').toEqual([]);
    if (!url.endsWith('/EDITOR_SESSION/reveal')) expect(leaksIn(await text, secrets), url).toEqual([]);
  }
  const headers = { authorization: `Bearer ${state.apiToken}` };
  const C = '/api/v1/connections/demo';
  const { groups } = await (await request.get(`${C}/env`, { headers })).json();
  const variables = (groups as { variables: { name: string; secret: boolean }[] }[]).flatMap(
    (group) => group.variables,
  );
  for (const { name } of variables.filter(({ secret }) => secret))
    await request.post(`${C}/env/${encodeURIComponent(name)}/reveal`, { headers, data: {} });
  const exported = await request.post(`${C}/env-file/export`, { headers, data: { secrets: true } });
  expect(leaksIn(await exported.text(), secrets).length).toBeGreaterThan(8);
  const backedUp = await request.post(`${C}/env-backups`, {
    headers,
    data: { passphrase: 'secrets of e2e' },
  });
  expect(leaksIn(await backedUp.text(), secrets)).toEqual([]);
  for (const path of ['/api/v1/audit?limit=500', `${C}/env`, `${C}/env-backups`, `${C}/env/DB_URL/history`])
    expect(leaksIn(await (await request.get(path, { headers })).text(), secrets), path).toEqual([]);
});

test('no token or secret is in the audit log, the store or the console log', async ({ state }) => {
  test.setTimeout(120_000);
  const secrets = readSecrets(state.tokensFile);
  expect(leaksIn(readFileSync(state.consoleLog, 'utf8'), secrets)).toEqual([]);
  const { protocol, pathname } = new URL(state.storeUrl);
  const store = new Redis(protocol === 'redis+unix:' ? decodeURIComponent(pathname) : state.storeUrl);
  const rows = (await store.xrange('keyward:audit', '-', '+')) as [string, string[]][];
  expect(rows.length).toBeGreaterThan(0);
  expect(leaksIn(JSON.stringify(rows), secrets)).toEqual([]);
  let cursor = '0';
  do {
    const [next, keys] = await store.scan(cursor, 'COUNT', 500);
    cursor = next;
    expect(leaksIn(keys.join('\n'), secrets)).toEqual([]);
    for (const key of keys) {
      const type = await store.type(key);
      if (type === 'string') expect(leaksIn((await store.get(key)) ?? '', secrets), key).toEqual([]);
      if (type === 'hash')
        expect(leaksIn(JSON.stringify(await store.hgetall(key)), secrets), key).toEqual([]);
    }
  } while (cursor !== '0');
  store.disconnect();
});
