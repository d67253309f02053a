// Three consoles on one store are replaced one after another by a later version with another schema, while signed-in
// users work and jobs run: nothing is lost, nobody is signed out, the store is upgraded once.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { AuditEntry } from '@/lib/audit/schema';
import type { Flag } from '@/lib/flags/schema';
import type { OneConsole, PrivateConsole } from '../testing/private-console';
import { quantile } from '../testing/steady-load';
import {
  type Answer,
  type Begun,
  begin,
  get,
  MAIN,
  post,
  summaryOfAnswer,
  summaryOfJob,
  untilOver,
} from './api';
import { seedAuthors } from './keys';
import { type Report, withConsole } from './report';
import { type Caller, signIn } from './sign-in';

const PEOPLE = 6;
const KEYS = 300;
const PAUSE_MS = 60;
/** How often a proxy asks each console whether it is ready. */
const PROBE_MS = 250;
const PASSWORD = 'a password of the drill';
const NEXT_VERSION = {
  NODE_OPTIONS: `--import ${pathToFileURL(resolve('scripts/testing/next-version.mjs')).href}`,
};

interface Sent {
  method: string;
  status: number;
  /** 0 for a request that the first console served. */
  repeats: number;
  tookMs: number;
  body: Answer<object>['body'];
}

/** Works like a proxy: sends requests to ready consoles, and repeats one at the others where it gets 503. */
class Balancer {
  readonly sent: Sent[] = [];
  private readonly consoles: readonly OneConsole[];
  private readonly ready: Set<OneConsole>;
  private readonly over = new AbortController();
  private next = 0;

  constructor(consoles: readonly OneConsole[]) {
    this.consoles = consoles;
    this.ready = new Set(consoles);
    for (const server of consoles) void this.probe(server);
  }

  close(): void {
    this.over.abort();
  }

  async send<T>(caller: Caller, path: string, method = 'GET', input?: object): Promise<Answer<T>> {
    const since = performance.now();
    const tried: OneConsole[] = [];
    let answer: Answer<T>;
    do {
      const at = this.pick(tried);
      tried.push(at);
      answer = await this.at<T>(at, caller, path, method, input);
      const isRefused = answer.status === 0 || answer.status === 503;
      if (!isRefused) break;
      this.ready.delete(at);
    } while (tried.length < this.consoles.length);
    const repeats = tried.length - 1;
    const tookMs = performance.now() - since;
    this.sent.push({ method, status: answer.status, repeats, tookMs, body: answer.body });
    return answer;
  }

  private pick(tried: readonly OneConsole[]): OneConsole {
    const left = this.consoles.filter((server) => !tried.includes(server));
    const ready = left.filter((server) => this.ready.has(server));
    const from = ready.length > 0 ? ready : left;
    return from[this.next++ % from.length]!;
  }

  private async probe(server: OneConsole): Promise<void> {
    while (!this.over.signal.aborted) {
      const isReady = await fetch(`${server.baseUrl}/api/ready`, { signal: AbortSignal.timeout(2000) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) this.ready.add(server);
      else this.ready.delete(server);
      await delay(PROBE_MS);
    }
  }

  private async at<T>(
    { baseUrl }: OneConsole,
    { cookie }: Caller,
    path: string,
    method: string,
    input?: object,
  ): Promise<Answer<T>> {
    const headers = { cookie, origin: baseUrl, 'content-type': 'application/json' };
    const body = input && { body: JSON.stringify(input) };
    try {
      const answer = await fetch(baseUrl + path, { method, headers, ...body });
      return { status: answer.status, body: await answer.json() };
    } catch {
      return { status: 0, body: {} as never };
    }
  }
}

const nameOf = (n: number): string => `FEATURE_ROLLING_${n}`;

/** Reads, and switches a flag that nobody else switches, until `signal` aborts. Returns how often it was switched. */
const work = async (proxy: Balancer, caller: Caller, n: number, signal: AbortSignal): Promise<number> => {
  let switched = 0;
  while (!signal.aborted) {
    await proxy.send(caller, '/api/v1/account');
    const { body, status } = await proxy.send<{ items: Flag[] }>(caller, `${MAIN}/flags?limit=100`);
    const flag = status === 200 ? body.items.find(({ name }) => name === nameOf(n)) : null;
    if (flag) {
      const input = { enabled: !flag.enabled, etag: flag.etag, reason: 'drill' };
      const answer = await proxy.send(caller, `${MAIN}/flags/${nameOf(n)}`, 'PUT', input);
      if (answer.status === 200) switched += 1;
    }
    await delay(PAUSE_MS);
  }
  return switched;
};

const makePeople = async (own: PrivateConsole, consoles: readonly OneConsole[]): Promise<Caller[]> =>
  Promise.all(
    Array.from({ length: PEOPLE }, async (_, n) => {
      const email = `admin-${n}@keyward.example`;
      const made = await post(own, '/api/v1/users', {
        email,
        name: email,
        role: 'admin',
        password: PASSWORD,
      });
      if (made.status !== 201) throw new Error(`a user: ${summaryOfAnswer(made)}`);
      return signIn(consoles[n % consoles.length]!.baseUrl, { email, password: PASSWORD });
    }),
  );

const startJob = async (own: PrivateConsole, at: OneConsole): Promise<Begun> => {
  await seedAuthors(own.app.client, KEYS);
  const input = { family: 'discours.author-id' };
  return begin({ baseUrl: at.baseUrl, apiToken: own.apiToken }, `${MAIN}/families/invalidate`, input);
};

const checkJob = async (report: Report, own: PrivateConsole, { jobId, auditId }: Begun): Promise<void> => {
  const job = await untilOver(own, jobId);
  const left = await own.app.client.exists('author:id:0', `author:id:${KEYS - 1}`);
  const path = '/api/v1/audit?action=families.invalidate&limit=50';
  const { body } = await get<{ items: AuditEntry[] }>(own, path);
  const outcomes = body.items.filter(({ id }) => id === auditId).map(({ outcome }) => outcome);
  report.check(
    'a job ends once, complete',
    job.state === 'done' && left === 0 && outcomes.join() === 'succeeded',
    `${summaryOfJob(job)}; recorded ${outcomes.join()}`,
  );
};

const checkRequests = (report: Report, { sent }: Balancer): void => {
  const failed = sent.filter(({ status }) => status !== 200);
  const sentBy = (method: string) => sent.filter((request) => request.method === method);
  for (const method of ['GET', 'PUT']) {
    const times = sentBy(method).map(({ tookMs }) => tookMs);
    report.say(
      `${times.length} ${method}, ${sentBy(method).filter(({ repeats }) => repeats > 0).length} of them repeated; p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms, max ${Math.max(...times).toFixed(0)} ms`,
    );
  }
  report.check(
    'each request is answered, if not by the first console then by another',
    failed.length === 0,
    [
      `${sent.length} requests`,
      ...failed
        .slice(0, 5)
        .map(({ method, status, body }) => `${method} ${summaryOfAnswer({ status, body })}`),
    ].join('; '),
  );
  report.check(
    'nobody is signed out',
    sent.every(({ status }) => status !== 401),
  );
};

const checkStore = async (report: Report, { store }: PrivateConsole, folder: string): Promise<void> => {
  const { version, migratingTo, writtenBy } = await store.client.hgetall('keyward:schema');
  const times = await store.client.get('keyward:test-migrated');
  const backups = readdirSync(folder);
  report.check(
    'the store is upgraded once, after a backup',
    version === '2' && migratingTo === '' && times === '1' && backups.length === 1,
    `schema ${version} by ${writtenBy}, migrated ${times} times, ${backups.join()}`,
  );
};

const checkSwitches = async (
  report: Report,
  own: PrivateConsole,
  switched: readonly number[],
): Promise<void> => {
  const wrong: string[] = [];
  for (const [n, times] of switched.entries()) {
    const isOn = (await own.app.client.get(`env_vars:${nameOf(n)}`)) === 'true';
    if (isOn !== (times % 2 === 1)) wrong.push(`${nameOf(n)} is ${isOn} after ${times}`);
  }
  const total = switched.reduce((sum, times) => sum + times, 0);
  report.check(
    'each accepted change was made once',
    wrong.length === 0,
    [`${total} changes`, ...wrong].join('; '),
  );
  const verdict = await post<{ ok: boolean }>(own, '/api/v1/audit/verify');
  report.check('the audit log is whole', verdict.body.ok === true, JSON.stringify(verdict.body));
};

const replaceEach = async (
  report: Report,
  own: PrivateConsole,
  consoles: readonly OneConsole[],
): Promise<void> => {
  for (const [i, server] of consoles.entries()) {
    const running = await startJob(own, consoles[i === 0 ? 1 : 0]!);
    const since = performance.now();
    await server.stop();
    const stoppedMs = performance.now() - since;
    await server.start(NEXT_VERSION);
    report.say(
      `console ${i + 1} ended after ${stoppedMs.toFixed(0)} ms, its successor was ready after ${(performance.now() - since).toFixed(0)} ms`,
    );
    await checkJob(report, { ...own, baseUrl: server.baseUrl }, running);
  }
};

const drill = async (report: Report, own: PrivateConsole, folder: string): Promise<void> => {
  const consoles = [own, await own.beside(), await own.beside()];
  for (let n = 0; n < PEOPLE; n++) await own.app.client.set(`env_vars:${nameOf(n)}`, 'false');
  const people = await makePeople(own, consoles);
  const proxy = new Balancer(consoles);
  const over = new AbortController();
  const working = Promise.all(people.map((caller, n) => work(proxy, caller, n, over.signal)));
  try {
    await replaceEach(report, own, consoles);
  } finally {
    over.abort();
  }
  const switched = await working;
  proxy.close();
  checkRequests(report, proxy);
  await checkSwitches(report, own, switched);
  await checkStore(report, own, folder);
};

export const run = async (report: Report): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-rolling-'));
  const environment = { KEYWARD_DRAIN_SECONDS: '60', KEYWARD_BACKUP_DIR: folder };
  const connection = { id: 'main', scan: { chunk: 20, pauseMs: 20 } };
  try {
    await withConsole([connection], (own) => drill(report, own, folder), environment);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
