import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, startRedis } from './redis-server.mjs';
import { environmentOf, runScript } from './testing/run-script';
import { endsInTime, exportsTraces, finishesWhatItServes, logsJsonOnly, NOISY } from './testing/stopping';

const ROOT = join(import.meta.dirname, '..');
const NOBODY = 65_534;
/** Root may write anywhere, so the package is used by somebody else. */
const isRoot = process.getuid?.() === 0;
const AS_USER = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

const folder = mkdtempSync(join(tmpdir(), 'keyward-package-'));
const [app, home, elsewhere] = ['app', 'home', 'elsewhere'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
let redis: Awaited<ReturnType<typeof startRedis>>;

const start = (file: string, args: readonly string[], variables: Record<string, string> = {}): ChildProcess =>
  spawn(file, args, { ...AS_USER, cwd: elsewhere, env: environmentOf({ HOME: home, ...variables }) });
const run = async (file: string, args: readonly string[], variables?: Record<string, string>) => {
  const child = start(file, args, variables);
  const [out, err, [status]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close'),
  ]);
  return { status, out, err };
};
const keyward = (args: readonly string[], variables?: Record<string, string>) =>
  run(join(app, 'node_modules/.bin/keyward'), args, variables);

const eachFolder = (path: string, visit: (path: string) => void): void => {
  visit(path);
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) eachFolder(join(path, entry.name), visit);
};

beforeAll(async () => {
  redis = await startRedis();
  const packed = await runScript('pack.mjs', []);
  expect(packed.output).toMatch(/Packed .*: [\d.]+ MB unpacked/);
  const file = /Packed (\S+\.tgz)/.exec(packed.out)![1]!;
  chmodSync(folder, 0o755);
  for (const path of [app, home, elsewhere]) {
    mkdirSync(path);
    if (isRoot) chownSync(path, NOBODY, NOBODY);
  }
  const copy = join(folder, 'keyward.tgz');
  cpSync(file, copy);
  mkdirSync(join(folder, 'cache'));
  if (isRoot) chownSync(join(folder, 'cache'), NOBODY, NOBODY);
  const how = ['--prefix', app, '--cache', join(folder, 'cache'), '--no-audit', '--no-fund'];
  // With the settings of this machine: where packages come from, and whom it trusts.
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'HOME'));
  const installed = await run('npm', ['install', ...how, copy], own as Record<string, string>);
  expect(installed).toMatchObject({ status: 0 });
  eachFolder(app, (path) => chmodSync(path, 0o555));
}, 400_000);

afterAll(async () => {
  await redis.stop();
  if (existsSync(app)) eachFolder(app, (path) => chmodSync(path, 0o755));
  rmSync(folder, { recursive: true, force: true });
});

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0]!)
    .join('; ');

/** The session of somebody who signs in through the form's own requests, and the page that follows. */
const signedIn = async (url: string, email: string, password: string, connection = 'main') => {
  const csrf = await fetch(`${url}/api/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const answer = await fetch(`${url}/api/auth/callback/credentials`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url, cookie: cookiesOf(csrf) },
    body: new URLSearchParams({ csrfToken, email, password, json: 'true' }),
  });
  const headers = { cookie: cookiesOf(answer) };
  const session = (await (await fetch(`${url}/api/auth/session`, { headers })).json()) as {
    user?: { role: string };
  };
  const page = await fetch(`${url}/${connection}/overview`, { headers });
  return { role: session.user?.role, status: page.status, html: await page.text() };
};

it('is installed into an empty folder, and has an admin sign in, with nothing written beside it', async () => {
  const port = String(await freePort());
  const admin = { KEYWARD_ADMIN_EMAIL: 'ann@example.org', KEYWARD_ADMIN_PASSWORD: 'correct horse' };
  const child = start(join(app, 'node_modules/.bin/keyward'), ['--redis', redis.url, '--port', port], admin);
  let output = '';
  child.stderr!.on('data', (chunk) => (output += chunk));
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (chunk) => {
      output += chunk;
      if (output.includes('Ready: Keyward at')) resolve();
    });
    child.once('exit', () => reject(new Error(output)));
  });
  try {
    await ready;
    const { role, status, html } = await signedIn(
      `http://127.0.0.1:${port}`,
      'ann@example.org',
      'correct horse',
    );
    expect([role, status]).toEqual(['admin', 200]);
    expect(html).toContain('Overview');
    const script = /\/_next\/static\/[^"]+\.js/.exec(html)![0];
    expect((await fetch(`http://127.0.0.1:${port}${script}`)).status).toBe(200);
    expect(await keyward(['audit', 'verify'])).toMatchObject({
      status: 0,
      out: expect.stringContaining('Intact'),
    });
    const taken = await keyward(['--redis', redis.url, '--port', port]);
    expect(taken).toMatchObject({ status: 1, err: expect.stringContaining(`PORT: ${port}`) });
  } finally {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
  expect(readdirSync(join(home, '.local/state/keyward')).sort()).toEqual([
    'nextauth-secret',
    'secret-key',
    'store',
  ]);
});

it('shows the demo, whose admin signs in', async () => {
  const port = String(await freePort());
  const child = start(join(app, 'node_modules/.bin/keyward'), ['demo', '--port', port]);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += chunk));
  try {
    await expect
      .poll(() => child.exitCode !== null || output.includes('Ready in'), { timeout: 60_000 })
      .toBe(true);
    const [, email, password] = /^ +admin +(\S+) +(\S+)$/m.exec(output) ?? [];
    expect(password, output).toBeTruthy();
    const { role, status } = await signedIn(`http://127.0.0.1:${port}`, email!, password!, 'demo');
    expect([role, status]).toEqual(['admin', 200]);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
});

const launch = (args: readonly string[], variables: Record<string, string>) =>
  start(join(app, 'node_modules/.bin/keyward'), args, variables);

it('finishes what it serves after SIGTERM', () => finishesWhatItServes(launch, redis.url));
it('ends within ten seconds, and at once after a second signal', () => endsInTime(launch, redis.url));
it('exports traces through Next', () => exportsTraces(launch, redis.url));
it('logs nothing but JSON if asked', async () => {
  const noisy = join(folder, 'noisy.cjs');
  writeFileSync(noisy, NOISY);
  await logsJsonOnly(launch, redis.url, noisy);
});

it('has the same commands as a checkout, with the same exit codes', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(await keyward(['--version'])).toMatchObject({ status: 0, out: `${version}\n` });
  expect(await keyward(['--help'])).toMatchObject({
    status: 0,
    out: expect.stringContaining('keyward <command>'),
  });
  expect(await keyward(['revoke'])).toMatchObject({
    status: 2,
    err: expect.stringContaining('no command "revoke"'),
  });
  expect(await keyward(['start', '--radis', 'x'])).toMatchObject({
    status: 2,
    err: expect.stringContaining("'--radis'"),
  });
  expect(await keyward([])).toMatchObject({ status: 1, err: expect.stringContaining('keyward demo') });
  const checked = await keyward(['conventions', '--url', redis.url, '--fail-on', 'info']);
  expect(checked).toMatchObject({ status: 1, out: expect.stringContaining('maxmemory') });
  expect(await keyward(['catalog', 'check', 'none.yaml'])).toMatchObject({ status: 1 });
  const reset = await keyward(['user', 'reset', 'ann@example.org']);
  expect(reset).toMatchObject({ status: 0, out: expect.stringContaining('ann@example.org (admin)') });
  const doctor = await keyward(['doctor'], { REDIS_URL: redis.url, PORT: String(await freePort()) });
  expect(doctor).toMatchObject({ status: 0, out: expect.stringMatching(/^ok +connection main/m) });
  const sealed = await keyward(['accounts', 'seal']);
  expect(sealed).toMatchObject({ status: 0, out: expect.stringContaining('nothing to seal') });
});

it('names three ways out where there is no Redis for its own data, and refuses a base path', async () => {
  const bare = { PATH: join(folder, 'bare') };
  const node = ['--redis', redis.url];
  const file = join(app, 'node_modules/keyward/scripts/keyward.mjs');
  const none = await run(process.execPath, [file, ...node], bare);
  expect(none).toMatchObject({ status: 1, err: expect.stringContaining('Three alternatives') });
  const below = await keyward(node, { KEYWARD_BASE_PATH: '/ops', PORT: String(await freePort()) });
  expect(below).toMatchObject({ status: 1, err: expect.stringContaining('KEYWARD_BASE_PATH') });
});

it('has no path of the machine that packed it', () => {
  const files: string[] = [];
  eachFolder(join(app, 'node_modules/keyward'), (path) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const name = join(path, entry.name);
      if (entry.isFile() && readFileSync(name).includes(`${ROOT}/`)) files.push(name);
    }
  });
  expect(files).toEqual([]);
});
