// Floods by one caller must not harm others: the audit log, the process, its streams, the sign-in.
import { setTimeout as delay } from 'node:timers/promises';
import type { PrivateConsole } from '../testing/private-console';
import { quantile } from '../testing/steady-load';
import { get, MAIN, post, request, tokensOf, watchHealth } from './api';
import { type Report, withConsole } from './report';

/** Makes `count` calls, a few at a time; returns their answers in order. */
const manyTimes = async <T>(count: number, atOnce: number, ask: (n: number) => Promise<T>): Promise<T[]> => {
  const answers: T[] = [];
  let next = 0;
  const caller = async () => {
    while (next < count) {
      const n = next++;
      answers[n] = await ask(n);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return answers;
};

/** The number of each status, as text. */
const summaryOf = (statuses: readonly number[]): string => {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
};

/** Enough that a temporarily dropped refusal would occur several times. */
const REFUSALS = 500;
const BETWEEN_MS = 30;
const MINUTE = 60_000;

const minuteNow = (): number => Math.floor(Date.now() / MINUTE);

interface EntriesPage {
  items: object[];
  nextCursor: string | null;
}

/** Entries of an action; a page of them may be short. */
const entriesOf = async (own: PrivateConsole, action: string): Promise<number> => {
  let [entries, cursor]: [number, string | null] = [0, ''];
  while (cursor !== null) {
    const page: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/api/v1/audit?action=${action}&limit=1000${page}`;
    const { body }: Awaited<ReturnType<typeof get<EntriesPage>>> = await get<EntriesPage>(own, path);
    entries += body.items.length;
    cursor = body.nextCursor;
  }
  return entries;
};

const drillRefusals = async (own: PrivateConsole, report: Report): Promise<void> => {
  const [apiToken = ''] = await tokensOf(own, 'evaluator', 1);
  const begun = minuteNow();
  const answers = await manyTimes(REFUSALS, 1, async () => {
    await delay(BETWEEN_MS);
    return get({ ...own, apiToken }, `${MAIN}/env`);
  });
  const statuses = answers.map(({ status }) => status);
  report.check(
    'an evaluator is refused each time',
    statuses.every((status) => status === 403),
    summaryOf(statuses),
  );
  const minutes = minuteNow() - begun + 1;
  const entries = await entriesOf(own, 'env.list');
  report.check(
    `${REFUSALS} refused calls are at most one entry a minute in the audit log`,
    entries <= minutes,
    `${entries} entries in ${minutes} minute(s)`,
  );
};

const MEBIBYTE = 1024 * 1024;
const BODIES: Record<string, string> = {
  'empty objects': `{"pattern":[${'{},'.repeat(MEBIBYTE / 3 - 10)}{}]}`,
  'deep nesting': `{"pattern":${'['.repeat(MEBIBYTE / 2 - 10)}${']'.repeat(MEBIBYTE / 2 - 10)}}`,
};
const ADDRESSES = [`${MAIN}/families/preview`, `${MAIN}/env-file/import`];
const BODIES_SENT = 20;
/** The longest accepted block of the event loop, including the machine's other work. */
const MAX_STOP_MS = 250;

const drillBodies = async (own: PrivateConsole, report: Report): Promise<void> => {
  for (const path of ADDRESSES)
    for (const [what, body] of Object.entries(BODIES)) {
      const headers = { authorization: `Bearer ${own.apiToken}`, 'content-type': 'application/json' };
      const health = watchHealth(own);
      const statuses = await manyTimes(BODIES_SENT, 4, async () => {
        const answer = await fetch(own.baseUrl + path, { method: 'POST', headers, body }).catch(() => null);
        await answer?.text().catch(() => undefined);
        return answer?.status ?? 0;
      });
      const { n, p99, max } = await health();
      report.check(
        `1 MiB of ${what} ${BODIES_SENT} times to ${path.slice(MAIN.length)} blocks the process less than ${MAX_STOP_MS} ms`,
        max <= MAX_STOP_MS && statuses.every((status) => status < 500),
        `health p99 ${p99.toFixed(0)} ms, longest ${max.toFixed(0)} ms of ${n}; ${summaryOf(statuses)} (0: cut off)`,
      );
    }
};

const STREAMS = 50;
const MAX_STREAMS = 8;

const drillStreams = async (own: PrivateConsole, report: Report): Promise<void> => {
  const [apiToken = ''] = await tokensOf(own, 'viewer', 1);
  const client = { ...own, apiToken };
  const open = () => request(client, `${MAIN}/history/stream`);
  for (const attempt of ['first', 'second']) {
    const answers = await Promise.all(Array.from({ length: STREAMS }, open));
    const statuses = answers.map(({ status }) => status);
    const refused = answers.filter(({ status }) => status === 429);
    const held =
      statuses.filter((status) => status === 200).length === MAX_STREAMS &&
      refused.length === STREAMS - MAX_STREAMS &&
      refused.every(({ headers }) => Number(headers.get('retry-after')) > 0);
    report.check(
      `of ${STREAMS} streams of a user ${MAX_STREAMS} are open, the others get 429 with Retry-After (attempt ${attempt})`,
      held,
      summaryOf(statuses),
    );
    for (const { body } of answers) await body?.cancel();
    await manyTimes(100, 1, async () => {
      const answer = await open();
      await answer.body?.cancel();
      return answer.status;
    }).then((closed) => report.say(`opened and closed 100 times at once after it: ${summaryOf(closed)}`));
  }
};

const WRONG = 1000;
const RIGHT = 20;
const ADMIN = { email: 'admin@drill.example', password: 'a right password of the drill' };

/** A browser, as far as signing in requires: it stores cookies. */
class Browser {
  private readonly cookies = new Map<string, string>();
  private csrfToken = '';

  constructor(private readonly own: PrivateConsole) {}

  private async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(this.own.baseUrl + path, { ...init, headers: { cookie }, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return answer;
  }

  async begin(): Promise<this> {
    const answer = (await (await this.fetch('/api/auth/csrf')).json()) as { csrfToken: string };
    this.csrfToken = answer.csrfToken;
    return this;
  }

  async signIn(email: string, password: string): Promise<number> {
    const body = new URLSearchParams({ email, password, csrfToken: this.csrfToken, json: 'true' });
    const answer = await this.fetch('/api/auth/callback/credentials', { method: 'POST', body });
    await answer.text();
    return answer.status;
  }
}

const drillSignIn = async (own: PrivateConsole, report: Report): Promise<void> => {
  const made = await post(own, '/api/v1/users', { ...ADMIN, name: 'Admin', role: 'admin' });
  const known = await new Browser(own).begin();
  const first = await known.signIn(ADMIN.email, ADMIN.password);
  report.check('an admin signs in', first === 200, `${made.status}, ${first}`);
  const stranger = await new Browser(own).begin();
  const took: number[] = [];
  const right: Promise<number>[] = [];
  const wrong = await manyTimes(WRONG, 10, async (n) => {
    if (n % (WRONG / RIGHT) === 0) {
      const since = performance.now();
      right.push(
        known.signIn(ADMIN.email, ADMIN.password).finally(() => took.push(performance.now() - since)),
      );
    }
    return stranger.signIn(ADMIN.email, `wrong ${n}`);
  });
  report.check(
    `none of ${WRONG} wrong passwords is accepted`,
    wrong.every((status) => status === 401 || status === 429),
    summaryOf(wrong),
  );
  const statuses = await Promise.all(right);
  report.check(
    `each of ${RIGHT} right passwords from a known browser is accepted`,
    statuses.every((status) => status === 200),
    `${summaryOf(statuses)}, ${quantile(took, 0.5).toFixed(0)} ms, at most ${Math.max(...took).toFixed(0)} ms`,
  );
};

export const run = (report: Report): Promise<void> =>
  withConsole([{ environment: 'development' }], async (own) => {
    const refusals = drillRefusals(own, report);
    await drillStreams(own, report);
    await drillSignIn(own, report);
    await refusals;
    await drillBodies(own, report);
  });
