import type { PrivateConsole } from '../testing/private-console';
import { quantile } from '../testing/steady-load';
import { get, MAIN, post, request, watchHealth } from './api';
import { fillLog } from './audit-rows';
import { seedSessions } from './keys';
import { type Report, withConsole } from './report';

const ROWS = 114_000;
const _BATCH = 2000;
const CALLS = 5;
const MAX_CALL_MS = 250;
const MAX_STOP_MS = 250;

const FLAG = 'FEATURE_OF_THE_DRILL';
const VARIABLE = 'NAME_OF_THE_DRILL';
const USER = '1';

interface Changed {
  etag: string;
}

const must = <T>({ status, body }: { status: number; body: T }): T => {
  if (status === 0 || status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

/** One change of each, which its history must contain. */
const change = async (
  own: PrivateConsole,
  n: number,
  before: [Changed, Changed],
): Promise<[Changed, Changed]> => {
  const put = (path: string, input: object) =>
    request(own, `${MAIN}${path}`, 'PUT', input).then(async (answer) =>
      must({ status: answer.status, body: (await answer.json()) as Changed }),
    );
  const flag = await put(`/flags/${FLAG}`, { enabled: n % 2 === 0, etag: before[0].etag });
  const variable = await put(`/env/${VARIABLE}`, { value: `value ${n}`, etag: before[1].etag });
  must(await post(own, `${MAIN}/sessions/revoke`, { userId: USER }));
  return [flag, variable];
};

const HISTORIES: Record<string, { path: string; rows: (body: never) => unknown[]; count: number }> = {
  'flags.history': {
    path: `/flags/${FLAG}/history`,
    count: 5,
    rows: ({ items }: { items: unknown[] }) => items,
  },
  'env.history': {
    path: `/env/${VARIABLE}/history`,
    count: 5,
    rows: ({ items }: { items: unknown[] }) => items,
  },
  "a user's audit": {
    path: `/sessions/users/${USER}`,
    count: 4,
    rows: ({ audit }: { audit: unknown[] }) => audit,
  },
};

const drillHistories = async (own: PrivateConsole, report: Report, when: string): Promise<void> => {
  for (const [name, { path, rows, count }] of Object.entries(HISTORIES)) {
    const took: number[] = [];
    let entries = 0;
    const health = watchHealth(own);
    for (let n = 0; n < CALLS; n++) {
      const since = performance.now();
      const body = must(await get<object>(own, MAIN + path));
      took.push(performance.now() - since);
      entries = rows(body as never).length;
    }
    const { p99, max } = await health();
    const median = quantile(took, 0.5);
    const figures = `${median.toFixed(0)} ms a call, at most ${Math.max(...took).toFixed(0)} ms; health p99 ${p99.toFixed(0)} ms, longest ${max.toFixed(0)} ms`;
    report.check(`${name} shows all ${count} changes ${when}`, entries === count, `${entries}`);
    report.check(
      `${name} takes at most ${MAX_CALL_MS} ms per call and blocks the process less than ${MAX_STOP_MS} ms ${when}`,
      median <= MAX_CALL_MS && max <= MAX_STOP_MS,
      figures,
    );
  }
};

export const run = (report: Report): Promise<void> =>
  withConsole([{ environment: 'development' }], async (own) => {
    await seedSessions(own.app.client, 10, 2);
    const flag = must(await post<Changed>(own, `${MAIN}/flags`, { name: FLAG, enabled: false }));
    const variable = must(await post<Changed>(own, `${MAIN}/env`, { name: VARIABLE, value: 'first' }));
    let last: [Changed, Changed] = [flag, variable];
    for (let n = 0; n < 2; n++) last = await change(own, n, last);
    const since = performance.now();
    await fillLog(own, ROWS);
    report.say(`${ROWS} more rows in ${((performance.now() - since) / 1000).toFixed(1)} s`);
    for (let n = 2; n < 4; n++) last = await change(own, n, last);
    await drillHistories(own, report, `beside ${ROWS} other rows`);
    await own.stop();
    await own.start();
    await drillHistories(own, report, 'after a restart');
  });
