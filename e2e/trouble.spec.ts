import { connect } from 'node:net';
import { expect } from '@playwright/test';
import type { PrivateConsole } from '../scripts/testing/private-console';
import { expectAccessible } from './axe';
import { expectStatus } from './expect-status';
import { ADMIN, api, C, expectOutageOn, post, signIn, testWith } from './own-console';

const test = testWith({});

test.describe.configure({ mode: 'serial', timeout: 120_000 });

test('the first visit makes the first admin with the code printed at start', async ({ own, page }) => {
  await expect.poll(own.output).toContain('set-up code:');
  const code = /set-up code: (\S+)/.exec(own.output())![1]!;
  await page.goto(own.baseUrl);
  await page.waitForURL(/\/setup/);
  await expectAccessible(page, 'setup', ['light', 'dark', 'phone']);
  await page.getByLabel('Set-up code').fill(code);
  await page.getByLabel('Name').fill('First');
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.getByRole('button', { name: /create/i }).click();
  await page.waitForURL(/\/setup\/hit-rates/);
  const again = await fetch(`${own.baseUrl}/api/v1/setup`, { method: 'POST', body: '{}' });
  expect(again.status).toBeGreaterThanOrEqual(400);
});

test('pages report within 5 s that Redis is unreachable, keep their data, and say when Redis is back', async ({
  own,
  page,
}) => {
  await signIn(own, page);
  await expectOutageOn(own, page, ['/main/flags', '/audit']);
});

test('without its store the console reads on and changes nothing', async ({ own, page }) => {
  await signIn(own, page);
  await own.app.client.set('env_vars:FEATURE_STORE', 'true');
  const { items } = await (await api(own, `${C}/flags`)).json();
  const { etag } = items.find((item: { name: string }) => item.name === 'FEATURE_STORE');
  await own.store.kill();
  await expect(page.getByTestId('outage')).toContainText('Keyward’s store is unreachable', { timeout: 5000 });
  const read = await api(own, `${C}/flags`);
  await expectStatus(read, 200);
  const change = await api(own, `${C}/flags/FEATURE_STORE`, {
    method: 'PUT',
    body: { enabled: false, etag },
  });
  expect([change.status, (await change.json()).code]).toEqual([503, 'store_unavailable']);
  expect(await own.app.client.get('env_vars:FEATURE_STORE')).toBe('true');
  await expectStatus(await api(own, '/api/ready'), 503);
  await expectStatus(await api(own, '/api/health'), 200);
  await own.store.start();
  await expect(page.getByText('Keyward’s store is reachable again.')).toBeVisible();
  await expect.poll(async () => (await api(own, '/api/ready')).status, { timeout: 10_000 }).toBe(200);
  const again = await api(own, `${C}/flags/FEATURE_STORE`, { method: 'PUT', body: { enabled: false, etag } });
  await expectStatus(again, 200);
  expect((await (await post(own, '/api/v1/audit/verify', {})).json()).ok).toBe(true);
});

/** The answer to bytes that no HTTP client would send. */
const answerTo = (own: PrivateConsole, ...lines: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(own.baseUrl).port), '127.0.0.1', () =>
      socket.write([...lines, 'Connection: close', '', ''].join('\r\n'), 'latin1'),
    );
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });

const POLICY = /^content-security-policy: default-src 'none'/im;

test('requests that mean nothing are 400 with our headers, and the Host has to be ours', async ({ own }) => {
  const { host } = new URL(own.baseUrl);
  const to = (line: string, ...headers: string[]) =>
    answerTo(own, `${line} HTTP/1.1`, `Host: ${host}`, ...headers);
  const answers = {
    '%zz': await to('GET /%zz'),
    'api/%zz': await to('GET /api/v1/connections/%zz/flags'),
    'api/%ff': await to('GET /api/v1/connections/%ff/flags'),
    TRACE: await to('TRACE /'),
    'TRACE api': await to('TRACE /api/health'),
    CONNECT: await to('CONNECT evil.example:443'),
    '*': await to('OPTIONS *'),
    unknown: await to('HACK /'),
    absolute: await to('GET http://evil.example/sign-in'),
    length: await to('POST /api/v1/setup', 'Content-Length: abc'),
    encoding: await to('POST /api/v1/setup', 'Transfer-Encoding: x', 'Content-Length: 1'),
    name: await to('GET /api/health', 'b@d: x'),
    state: await to('GET /jobs', 'RSC: 1', 'Next-Router-State-Tree: %zz'),
    upgrade: await to('GET /', 'Upgrade: websocket', 'Connection: Upgrade'),
    'two hosts': await to('GET /sign-in', `Host: ${host}`),
    'another host': await answerTo(own, 'GET /sign-in HTTP/1.1', 'Host: evil.example'),
    'another host, api': await answerTo(own, 'GET /api/v1/account HTTP/1.1', 'Host: evil.example'),
    'no host': await answerTo(own, 'GET /sign-in HTTP/1.1'),
  };
  for (const [name, answer] of Object.entries(answers)) {
    expect(`${name}: ${answer.split('\r\n')[0]}`).toBe(`${name}: HTTP/1.1 400 Bad Request`);
    expect(answer, name).toMatch(POLICY);
    if (!/api|length|encoding/.test(name)) continue;
    expect(answer, name).toMatch(/^content-type: application\/problem\+json/im);
    const problem = { code: 'bad_input', status: 400, requestId: expect.any(String) };
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject(problem);
  }
  const probe = await answerTo(own, 'GET /api/health HTTP/1.1', 'Host: 10.1.2.3:8080');
  expect(probe).toMatch(/^HTTP\/1\.1 200 /);
});

test('every answer has a content security policy, and images are not resized', async ({ own }) => {
  const cookie = { cookie: 'next-auth.session-token=stale' };
  const page = await (await fetch(`${own.baseUrl}/sign-in`)).text();
  const files = [...page.matchAll(/(?:href|src)="(\/_next\/static\/[^"]+)"/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(1);
  const paths = [
    '/',
    '/sign-in',
    '/sign-in/',
    '//evil.example',
    '/icon.svg',
    '/favicon.ico',
    '/robots.txt',
    '/readme/overview-light.png',
    '/nope/nope/nope',
  ];
  const ours = [
    '/api',
    '/api/nope',
    '/api/health',
    '/api/openapi.json',
    '/api/auth/session',
    '/api/auth/nope',
    '/api/v1/account',
  ];
  const next = [
    '/_next',
    '/_next/nope',
    '/_next/static/nope.js',
    '/_next/data/x/y.json',
    '/_next/image?url=%2Ficon.svg&w=64&q=75',
  ];
  for (const path of [...paths, ...ours, ...next, files[0]!, files.at(-1)!])
    for (const init of [{}, { headers: cookie }, { method: 'PATCH' }]) {
      const answer = await fetch(own.baseUrl + path, { redirect: 'manual', ...init });
      await answer.body?.cancel();
      const answered = [path, answer.status, answer.headers.get('content-security-policy')];
      expect(answered).toEqual([
        path,
        expect.any(Number),
        expect.stringMatching(/^default-src '(none|self)'; /),
      ]);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.status, `${init.method ?? 'GET'} ${path}`).toBeLessThan(500);
      if (path.startsWith('/_next/image')) expect(answer.status).toBe(404);
    }
  const inside = await (await fetch(`${own.baseUrl}/api/nope`)).json();
  expect(inside).toMatchObject({ code: 'not_found', status: 404 });
});

test('a cookie that no longer holds gets nothing of a page, whichever part of it is asked for', async ({
  own,
}) => {
  const overview = { children: ['overview', { children: ['__PAGE__', {}] }] };
  const connection = [['connection', 'main', 'd', null], overview, null, 'refetch'];
  const tree = ['', { children: ['(console)', { children: connection }] }];
  const jobs = ['', { children: ['(console)', { children: ['jobs', { children: ['__PAGE__', {}] }] }] }];
  for (const state of [null, tree, jobs])
    for (const path of ['/main/overview', '/main/env', '/nowhere/overview', '/users', '/account']) {
      const headers = {
        rsc: '1',
        cookie: 'next-auth.session-token=stale',
        ...(state && { 'next-router-state-tree': encodeURIComponent(JSON.stringify(state)) }),
      };
      const text = await (await fetch(own.baseUrl + path, { headers })).text();
      expect([path, /"readOnly":(true|false)/.test(text), text.includes('NEXT_HTTP_ERROR_FALLBACK')]).toEqual(
        [path, false, false],
      );
    }
});

test('SIGTERM ends the console although streams are open', async ({ own }) => {
  const stream = await api(own, `${C}/history/stream`);
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  const started = Date.now();
  await own.stop();
  expect(Date.now() - started).toBeLessThan(9000);
  await stream.body?.cancel().catch(() => undefined);
  expect(await fetch(own.baseUrl).catch(() => 'gone')).toBe('gone');
});
