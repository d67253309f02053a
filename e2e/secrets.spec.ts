import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { expect, test } from './fixtures';
import { expectNoLeakOn, leaksIn, readSecrets } from './secrets';

/** The pages nearest to secrets; all others are in secrets.long.spec.ts. */
const PAGES = ['sessions', 'sessions?user=5', 'tokens', 'keys?family=discours.session'];

test.describe.configure({ mode: 'serial' });

test('no token or secret of the demo is in a page about them, response or URL', async ({
  signInAs,
  state,
}) => {
  const page = await signInAs('admin');
  const paths = PAGES.map((name) => `/live/${name}`);
  await expectNoLeakOn(page, readSecrets(state.tokensFile), paths);
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
    const answer = await request.post('/api/v1/connections/demo/families/preview', {
      headers,
      data: { family },
    });
    expect(leaksIn(await answer.text(), secrets), family).toEqual([]);
  }
  // A session's key as an exact key: its name is a secret in the request, and must not come back.
  const redis = new Redis(state.redisUrl);
  const [, keys] = await redis.scan(0, 'MATCH', 'session:*', 'COUNT', 10_000);
  redis.disconnect();
  const keyIds = [Buffer.from(keys[0]!).toString('base64url')];
  const preview = await request.post('/api/v1/connections/demo/families/preview', {
    headers,
    data: { keyIds },
  });
  const text = await preview.text();
  expect(leaksIn(text, secrets)).toEqual([]);
  expect(text).not.toContain(keyIds[0]!);
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
