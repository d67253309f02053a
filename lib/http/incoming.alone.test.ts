import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { clientAddress, PEER_HEADER } from '@/lib/access/peer';
import { env, forgetEnv } from '@/lib/configuration';
import { guardIncoming } from './incoming';
import { acceptsAnyHost } from './own-host';
import { served } from './served';

let reached: string[] = [];
let peers: string[] = [];
const servers: ReturnType<typeof createServer>[] = [];

/** A server that lets whatever reaches it succeed, and a way to speak to it byte by byte. */
const listen = async (host = '127.0.0.1', options = {}) => {
  const server = createServer(options, (incoming, response) => {
    reached.push(`${incoming.method} ${incoming.url}`);
    peers.push(clientAddress(new Headers(incoming.headers as Record<string, string>)));
    incoming.resume().on('end', () => response.end('reached'));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
};

const speak = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });

const ask = async (port: number, line: string, headers: string[] = [`Host: 127.0.0.1:${port}`]) => {
  const answer = await speak(
    port,
    [`${line} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'),
  );
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^content-security-policy: default-src 'none'; frame-ancestors 'none'\r?$/im);
  expect(head).toMatch(/^x-content-type-options: nosniff\r?$/im);
  const type = /^content-type: (.*?)\r?$/im.exec(head)?.[1];
  return {
    status: Number(head.split(' ')[1]),
    type,
    allow: /^allow: (.*?)\r?$/im.exec(head)?.[1],
    body,
    document: type?.includes('problem') ? JSON.parse(body) : null,
  };
};

const HEADERS = ['USER', 'GROUPS', 'ROLES'].map((name) => `KEYWARD_HEADER_${name}`);
const configure = (more: Record<string, string> = {}) => {
  for (const name of [
    'NEXTAUTH_URL',
    'HOSTNAME',
    'KEYWARD_BASE_PATH',
    'PORT',
    ...HEADERS,
    'KEYWARD_TRUSTED_PROXIES',
  ])
    delete process.env[name];
  Object.assign(process.env, { REDIS_URL: 'redis://127.0.0.1:1' }, more);
  forgetEnv();
};

beforeAll(() => {
  guardIncoming();
});
afterEach(() => {
  vi.unstubAllEnvs();
  configure();
  reached = [];
  peers = [];
  for (const server of servers.splice(0)) server.closeAllConnections();
});

const refused = { status: 400, type: 'application/problem+json' };

it('with two headers about the user is refused: Node would join them', async () => {
  configure({
    KEYWARD_TRUSTED_PROXIES: '127.0.0.1',
    KEYWARD_HEADER_USER: 'Remote-User',
    KEYWARD_HEADER_GROUPS: 'Remote-Groups',
    KEYWARD_HEADER_ROLES: 'admins=admin',
  });
  const port = await listen();
  const send = (...headers: string[]) =>
    ask(port, 'GET /api/v1/users', [`Host: 127.0.0.1:${port}`, ...headers]);
  expect(await send('Remote-User: ann@example.org', 'Remote-Groups: staff')).toMatchObject({ status: 200 });
  expect(
    await send('Remote-Groups: admins', 'Remote-User: a@example.org', 'remote-groups: staff'),
  ).toMatchObject({ ...refused, document: { detail: expect.stringContaining('more than once') } });
  expect(await send('REMOTE-USER: a@example.org', 'Remote-User: b@example.org')).toMatchObject(refused);
});
const plain = { status: 400, type: 'text/plain; charset=utf-8' };

it('that probes the health is answered before Next, once the console has started', async () => {
  configure({ KEYWARD_BASE_PATH: '/keyward' });
  const port = await listen();
  expect((await ask(port, 'GET /keyward/api/health')).body).toBe('reached');
  served.replace(async ({ url }) => Response.json({ asked: url }, { status: 503 }));
  const asked = { status: 503, type: 'application/json' };
  expect(await ask(port, 'GET /keyward/api/ready?x=1')).toMatchObject({
    ...asked,
    body: '{"asked":"http://localhost/api/ready"}',
  });
  expect(await ask(port, 'HEAD /keyward/api/health')).toMatchObject({ ...asked, body: '' });
  for (const other of ['POST /keyward/api/ready', 'GET /keyward/api/ready/x', 'GET /keyward/api/metrics'])
    expect((await ask(port, other)).body).toBe('reached');
  served.forget();
});

it('that probes the health waits for other probes: four are answered at once', {
  tags: ['long'],
}, async () => {
  configure();
  const port = await listen();
  let [open, most] = [0, 0];
  let letGo = () => {};
  const over = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  served.replace(async () => {
    open += 1;
    most = Math.max(most, open);
    await over;
    open -= 1;
    return Response.json({});
  });
  const probes = Promise.all(Array.from({ length: 80 }, () => ask(port, 'GET /api/ready')));
  await expect.poll(() => open).toBe(4);
  letGo();
  expect(new Set((await probes).map(({ status }) => status))).toEqual(new Set([200]));
  expect(most).toBe(4);
  served.forget();
});

it('is from the address of its socket, whatever it says itself', async () => {
  configure();
  const port = await listen();
  await ask(port, 'GET /', [`Host: 127.0.0.1:${port}`, `${PEER_HEADER}: 198.51.100.1`]);
  expect(peers).toEqual(['127.0.0.1']);
});

describe('an invalid request', () => {
  it('is refused with a problem document below /api and with plain text elsewhere, before Next', async () => {
    configure();
    const port = await listen();
    for (const target of ['/api/%zz', '/api/v1/connections/%ff/flags', '/api/%', '/api?/%zz%zz'].slice(
      0,
      3,
    )) {
      const { document, ...answer } = await ask(port, `GET ${target}`);
      expect([target, answer]).toEqual([target, { ...refused, body: expect.any(String) }]);
      expect(document).toMatchObject({ code: 'bad_input', status: 400, requestId: expect.any(String) });
    }
    for (const target of [
      '/%zz',
      '/%zz/../jobs',
      '/main/%c3',
      '/_next/static/%.js',
      'http://evil.example/',
      'http://evil.example/api/v1',
      '*',
      '/apis/%zz',
    ])
      expect([target, await ask(port, `GET ${target}`)]).toEqual([target, expect.objectContaining(plain)]);
    for (const method of ['TRACE', 'PROPFIND', 'SUBSCRIBE', 'PURGE']) {
      expect([method, await ask(port, `${method} /api/health`)]).toEqual([
        method,
        expect.objectContaining(refused),
      ]);
      expect([method, await ask(port, `${method} /`)]).toEqual([method, expect.objectContaining(plain)]);
    }
    const host = `Host: 127.0.0.1:${port}`;
    for (const state of ['%zz', '{}', '[1]', 'x'.repeat(9000)])
      expect(
        await ask(port, 'GET /jobs', [host, 'RSC: 1', `Next-Router-State-Tree: ${state}`]),
      ).toMatchObject(plain);
    expect(reached).toEqual([]);
    const state = encodeURIComponent(JSON.stringify(['', { children: ['__PAGE__', {}] }]));
    expect((await ask(port, 'GET /', [host, `Next-Router-State-Tree: ${state}`])).body).toBe('reached');
    expect((await ask(port, 'GET /a%20b?c=%zz')).body).toBe('reached');
  });

  it('is refused in the same way when the parser or Node itself would answer', async () => {
    configure();
    const port = await listen();
    const host = `Host: 127.0.0.1:${port}`;
    for (const headers of [
      [host, 'Content-Length: abc'],
      [host, 'Transfer-Encoding: x', 'Content-Length: 3'],
      [host, 'b@d name: x'],
      [host, 'no colon'],
      [host, 'X: \0'],
    ])
      expect([headers, await ask(port, 'POST /api/v1/setup', headers)]).toEqual([
        headers,
        expect.objectContaining(refused),
      ]);
    for (const line of ['TRACK /', 'GET /a\0b', 'GET /a b', 'CONNECT evil.example:443'])
      expect([line, await ask(port, line)]).toEqual([line, expect.objectContaining(refused)]);
    const long = await ask(port, 'GET /', [host, `X-Long: ${'x'.repeat(100_000)}`]);
    expect([long.status, long.document.status]).toEqual([431, 431]);
    expect(await ask(port, 'GET /api/v1', [])).toMatchObject(refused);
    expect(reached).toEqual([]);
    expect((await ask(port, 'GET /', [host, 'Expect: a miracle'])).body).toBe('reached');
  });

  it('does not corrupt an answer that is being sent', async () => {
    configure();
    const server = createServer((_incoming, response) => void response.write('half'));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const text = await new Promise<string>((resolve) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`),
      );
      socket.on('data', (data) => {
        answer += data;
        if (answer.includes('half')) socket.write('no chunk\r\n');
      });
      socket.on('close', () => resolve(answer));
    });
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('that never ends is refused after the time-out of Node', async () => {
    configure();
    expect(createServer().requestTimeout).toBe(300_000);
    const port = await listen('127.0.0.1', {
      requestTimeout: 100,
      headersTimeout: 100,
      connectionsCheckingInterval: 20,
    });
    const slow = `POST /api/v1/setup HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 1000\r\n\r\n{`;
    expect(await speak(port, slow)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  });
});

describe('the Host of a request', () => {
  const statusOf = async (port: number, ...hosts: string[]) =>
    (
      await ask(
        port,
        'GET /api/v1/account',
        hosts.map((host) => `Host: ${host}`),
      )
    ).status;

  it('is the host of NEXTAUTH_URL, the address listened on, or loopback; no other name', async () => {
    configure({ NEXTAUTH_URL: 'https://ops.example/keyward/api/auth' });
    const port = await listen();
    for (const host of [
      'ops.example',
      'OPS.example:443',
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      'localhost:8080',
      `[::1]:${port}`,
    ])
      expect([host, await statusOf(port, host)]).toEqual([host, 200]);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'ops.example:8443',
      'localhost.evil.example',
      'ops.example.evil',
      `127.0.0.2:${port}`,
      `ops.example@evil`,
      'a b',
      '',
      `localhost:${port}/x`,
    ])
      expect([host, await statusOf(port, host)]).toEqual([host, 400]);
    expect(await statusOf(port, 'ops.example', 'evil.example')).toBe(400);
    expect(await statusOf(port, 'ops.example', 'ops.example')).toBe(400);
    const token = (path: string, host = 'keyward:3000') =>
      ask(port, `GET ${path}`, [`Host: ${host}`, 'Authorization: Bearer kw_x']);
    expect((await token('/api/v1/connections')).status).toBe(200);
    expect((await token('/api/v1/connections', 'a b')).status).toBe(400);
    expect((await token('/api/auth/session')).status).toBe(400);
    expect((await token('/jobs')).status).toBe(400);
    const forwarded = await ask(port, 'GET /', ['Host: evil.example', 'X-Forwarded-Host: ops.example']);
    expect([forwarded.status, forwarded.body]).toEqual([400, expect.stringContaining('NEXTAUTH_URL')]);
  });

  it('may lack the port, which some proxies omit', async () => {
    configure({ NEXTAUTH_URL: 'https://ops.example:8443' });
    const port = await listen();
    for (const host of ['ops.example:8443', 'ops.example', 'ops.example:443'])
      expect([host, await statusOf(port, host)]).toEqual([host, 200]);
    for (const host of ['ops.example:8444', 'evil.example:8443', 'evil.example'])
      expect([host, await statusOf(port, host)]).toEqual([host, 400]);
  });

  it('may be anything for health probes', async () => {
    configure({ NEXTAUTH_URL: 'https://ops.example', KEYWARD_BASE_PATH: '/keyward' });
    const port = await listen();
    for (const path of ['/keyward/api/health', '/keyward/api/ready?x=1'])
      expect((await ask(port, `GET ${path}`, ['Host: 10.1.2.3:8080'])).status).toBe(200);
    expect((await ask(port, 'GET /keyward/api/v1/account', ['Host: 10.1.2.3:8080'])).type).toBe(refused.type);
    expect(await speak(port, 'GET /keyward/api/health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200/);
  });

  it('may be the address the client connected to, also when listening on every address', async () => {
    configure({ NEXTAUTH_URL: 'https://ops.example', HOSTNAME: '::' });
    const port = await listen('::');
    expect(acceptsAnyHost(env())).toBe(false);
    expect(await statusOf(port, `127.0.0.1:${port}`)).toBe(200);
    expect(await statusOf(port, `evil.example:${port}`)).toBe(400);
    const through = (hostname: string) =>
      new Promise((resolve, reject) =>
        request({ hostname, port, path: '/api/v1' }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end(),
      );
    expect(await through('127.0.0.2')).toBe(200);
    expect(await through('::1')).toBe(200);
  });

  it('may be anything when the console listens on every address without NEXTAUTH_URL', async () => {
    for (const NEXTAUTH_URL of ['', 'http://127.0.0.1:3000/api/auth']) {
      configure({ HOSTNAME: '0.0.0.0', NEXTAUTH_URL });
      const port = await listen('0.0.0.0');
      expect(acceptsAnyHost(env())).toBe(true);
      expect(await statusOf(port, 'ops.example')).toBe(200);
      expect(await statusOf(port, 'a b')).toBe(400);
    }
    configure({ NEXTAUTH_URL: 'http://127.0.0.1:3000' });
    expect(acceptsAnyHost(env())).toBe(false);
  });
});

it("has nothing to do with Next's own route for images, nor in production with other protocols or changes of files", async () => {
  configure({ KEYWARD_BASE_PATH: '/keyward' });
  const port = await listen();
  for (const path of [
    '_next/image',
    'x/../_next/image',
    '_next/./image',
    '_next/x/%2E%2e/image',
    '..\\keyward/_next/image',
  ])
    expect([path, (await ask(port, `GET /keyward/${path}?url=%2Fa.png&w=64&q=75`)).status]).toEqual([
      path,
      404,
    ]);
  vi.stubEnv('NODE_ENV', 'production');
  forgetEnv();
  for (const method of ['POST', 'PATCH', 'OPTIONS'])
    expect(await ask(port, `${method} /keyward/_next/static/x.js`)).toMatchObject({
      status: 405,
      allow: 'GET, HEAD',
    });
  for (const path of ['/keyward/api/../_next/static/x.js', '/keyward/api/%2e%2e/sign-in'])
    expect([path, (await ask(port, `POST ${path}`)).status]).toEqual([path, 405]);
  expect((await ask(port, 'POST /keyward/api/v1/setup')).status).toBe(200);
  servers[0]!.on('upgrade', () => expect.unreachable());
  const answer = await ask(port, 'GET /', [
    `Host: 127.0.0.1:${port}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
  ]);
  expect(answer.status).toBe(400);
});
