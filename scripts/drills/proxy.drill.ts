// Three consoles behind nginx, configured as in docs/examples, in a real browser, while one of them is killed.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { AuditEntry } from '@/lib/audit/schema';
import type { Flag } from '@/lib/flags/schema';
import type { Child } from '../child.mjs';
import { type Authority, certificates } from '../testing/certificates';
import type { PrivateConsole } from '../testing/private-console';
import { type Answer, get, MAIN, post, summaryOfAnswer, until } from './api';
import { type Report, withConsole } from './report';

const HOST = 'keyward.test';
const FLAG = 'FEATURE_BEHIND_PROXY';
const USER = { email: 'proxied@keyward.example', password: 'a password of the drill' };
const REQUESTS = 60;

/** Some systems have an nginx without `http2 on`, as docs/deployment.md explains. */
const hasHttp2Directive = (): boolean => {
  const { stderr } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  const [, minor = 0, patch = 0] = /(\d+)\.(\d+)\.(\d+)/.exec(stderr)!.slice(1).map(Number);
  return minor > 25 || (minor === 25 && patch >= 1);
};

interface Site {
  folder: string;
  port: number;
  authority: Authority;
  /** `host:port` of the consoles. */
  upstreams: readonly string[];
}

/** docs/examples/nginx.conf with this drill's addresses and files. */
const configurationOf = ({ folder, port, authority, upstreams }: Site): string => {
  const { cert, key } = authority.issue({ name: 'site', names: `DNS:${HOST}` });
  let server = readFileSync('docs/examples/nginx.conf', 'utf8')
    .replace(/^ *server keyward:3000 (.*)$/m, (_line, how) =>
      upstreams.map((upstream) => `  server ${upstream} ${how}`).join('\n'),
    )
    .replace('keyward.example.org', HOST)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('/etc/nginx/tls/cert.pem', cert)
    .replace('/etc/nginx/tls/key.pem', key);
  if (!hasHttp2Directive()) server = server.replace(/ ssl;/, ' ssl http2;').replace(/^ *http2 on;.*\n/m, '');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const log = `access_log ${join(folder, 'access.log')};`;
  return [
    'daemon off;',
    `pid ${join(folder, 'nginx.pid')};`,
    `error_log ${join(folder, 'error.log')};`,
    'events {}',
    'http {',
    log,
    ...paths,
    server,
    '}',
  ].join('\n');
};

const startProxy = async (site: Site): Promise<Child> => {
  mkdirSync(site.folder, { recursive: true });
  const file = join(site.folder, 'nginx.conf');
  writeFileSync(file, configurationOf(site));
  execFileSync('nginx', ['-t', '-q', '-c', file, '-e', join(site.folder, 'error.log')]);
  const { startChild } = await import('../child.mjs');
  return startChild('nginx', ['-c', file, '-e', join(site.folder, 'error.log')]);
};

/** Runs in the page: a request with its cookies. */
const inPage = <T>(page: Page, path: string, method = 'GET', input?: object): Promise<Answer<T>> =>
  page.evaluate(
    async ([url, verb, body]) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(url, { method: verb, headers, ...(body && { body: JSON.stringify(body) }) });
      return { status: answer.status, body: await answer.json() };
    },
    [path, method, input] as const,
  );

/** What one stream received. */
interface Heard {
  points: number;
  /** Number of lost connections. */
  cuts: number;
}

declare global {
  interface Window {
    heard: Heard[];
  }
}

/** Runs in the page: opens one stream per console, because the proxy distributes requests in rotation. */
const listen = (page: Page, count: number): Promise<void> =>
  page.evaluate(
    ([path, length]) => {
      window.heard = Array.from({ length }, () => ({ points: 0, cuts: 0 }));
      for (const stream of window.heard) {
        const source = new EventSource(path);
        source.addEventListener('point', () => (stream.points += 1));
        source.onerror = () => (stream.cuts += 1);
      }
    },
    [`${MAIN}/history/stream`, count] as const,
  );

const heard = (page: Page): Promise<Heard[]> => page.evaluate(() => window.heard);

/** Waits until each stream has three more points. */
const hearsMore = async (page: Page, what: string): Promise<Heard[]> => {
  const before = await heard(page);
  return until(what, async () => {
    const now = await heard(page);
    return now.every(({ points }, i) => points >= before[i]!.points + 3) ? now : null;
  });
};

const signIn = async (page: Page, report: Report): Promise<void> => {
  await page.goto('/');
  await page.getByLabel('E-mail').fill(USER.email);
  await page.getByLabel('Password', { exact: true }).fill(USER.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
  const cookies = await page.context().cookies();
  const session = cookies.find(({ name }) => name.includes('session-token'));
  const protocol = await page.evaluate(
    () => (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).nextHopProtocol,
  );
  report.check(
    'a browser signs in through the proxy, over HTTP/2, with a Secure cookie',
    session?.secure === true && protocol === 'h2',
    `${session?.name}, ${protocol}, at ${new URL(page.url()).pathname}`,
  );
};

const toggle = async (page: Page): Promise<Answer<{ auditId: string }>> => {
  const { body } = await inPage<{ items: Flag[] }>(page, `${MAIN}/flags?limit=10`);
  const { etag, enabled } = body.items.find(({ name }) => name === FLAG)!;
  return inPage(page, `${MAIN}/flags/${FLAG}`, 'PUT', { enabled: !enabled, etag, reason: 'drill' });
};

const story = async (report: Report, own: PrivateConsole, page: Page, kill: () => Promise<void>) => {
  await signIn(page, report);
  await listen(page, 3);
  const first = await hearsMore(page, 'three points of each stream');
  const whole = first.every(({ cuts }) => cuts === 0);
  report.check('streams come through the proxy as they are sent', whole, JSON.stringify(first));
  const changes = [await toggle(page)];

  await kill();
  const statuses: number[] = [];
  for (let i = 0; i < REQUESTS; i++) statuses.push((await inPage(page, `${MAIN}/flags?limit=10`)).status);
  report.check(
    'one console was killed: reads go on at the others',
    statuses.every((status) => status === 200),
    `${REQUESTS} requests: ${[...new Set(statuses)].join(', ')}`,
  );
  const after = await hearsMore(page, 'three more points of each');
  const cut = after.filter(({ cuts }) => cuts > 0).length;
  report.check('one console was killed: its stream goes on at another', cut === 1, JSON.stringify(after));
  changes.push(await toggle(page));
  await page.reload();
  const heading = await page.getByRole('heading', { level: 1 }).textContent();
  report.check('one console was killed: pages load', heading === 'Overview', `heading ${heading}`);

  const log = await get<{ items: AuditEntry[] }>(own, '/api/v1/audit?action=flags.set&limit=10');
  const recorded = log.body.items.map(({ outcome }) => outcome);
  report.check(
    'changes are made and recorded once, before and after the kill',
    changes.every(({ status }) => status === 200) && recorded.join() === 'succeeded,succeeded',
    `${changes.map(summaryOfAnswer).join('; ')}; recorded: ${recorded.join(', ')}`,
  );
};

export const run = async (report: Report): Promise<void> => {
  if (spawnSync('nginx', ['-v']).error) return report.check('nginx is installed', false);
  const { freePort } = await import('../redis-server.mjs');
  const { ensureChromium } = await import('../chromium.mjs');
  const { chromium } = await import('@playwright/test');
  const port = await freePort();
  const made = certificates();
  const address = `https://${HOST}:${port}`;
  const environment = { NEXTAUTH_URL: address, KEYWARD_TRUSTED_PROXIES: '127.0.0.1' };
  const work = async (own: PrivateConsole): Promise<void> => {
    const consoles = [own, await own.beside(), await own.beside()];
    await own.app.client.set(`env_vars:${FLAG}`, 'false');
    const created = await post(own, '/api/v1/users', { ...USER, name: 'Proxied', role: 'admin' });
    if (created.status !== 201) throw new Error(`a user: ${summaryOfAnswer(created)}`);
    const upstreams = consoles.map(({ baseUrl }) => new URL(baseUrl).host);
    const authority = made.authority();
    const proxy = await startProxy({ folder: join(made.dir, 'nginx'), port, authority, upstreams });
    const browser = await chromium.launch({
      executablePath: await ensureChromium(),
      args: ['--no-sandbox', `--host-resolver-rules=MAP ${HOST} 127.0.0.1`],
    });
    try {
      const page = await browser.newPage({ baseURL: address, ignoreHTTPSErrors: true });
      await story(report, own, page, () => consoles[1]!.kill());
    } finally {
      await browser.close();
      await proxy.stop();
    }
  };
  await withConsole([], work, environment).finally(made.remove);
};
