// The server restarts during scans of the full keyspace: nothing may be skipped silently.

import type { FamilyRow } from '@/lib/families/schema';
import type { Session, SessionStats } from '@/lib/sessions/schema';
import type { PrivateConsole } from '../testing/private-console';
import { begin, get, jobOf, MAIN, request, summaryOfAnswer, summaryOfJob, until, untilOver } from './api';
import { FAR_ADDRESS, keysLike, seedAuthors, seedSessions } from './keys';
import { type Report, withConsole } from './report';

const SESSIONS = 227;
/** Below 20 000 keys in total the census is taken every 15 s. */
const OTHERS = 19_500;
/** Slow enough that a scan takes three seconds, with a restart in between. */
const SCAN = { chunk: 100, pauseMs: 15 };

interface Page {
  items: Session[];
  nextCursor: string | null;
}

const isKept = ({ status }: { status: number }): boolean => status !== 503 && status !== 0;

/** Reads all pages, with a restart after a share of the sessions. A refused cursor restarts the list. */
const pageThrough = async (own: PrivateConsole, share: number) => {
  const path = `${MAIN}/sessions?limit=20`;
  let shown = new Set<string | null>();
  let [pages, restarted, restarts] = [0, false, 0];
  let cursor = '';
  for (;;) {
    if (!restarted && shown.size >= share * SESSIONS) {
      await own.app.restart();
      restarted = true;
    }
    const answer = await until('a page', async () => {
      const page = await get<Page>(own, path + cursor);
      return isKept(page) ? page : null;
    });
    if (answer.status === 410 && answer.body.code === 'cursor_expired' && cursor) {
      [shown, cursor, restarts] = [new Set(), '', restarts + 1];
      continue;
    }
    if (answer.status !== 200) return { held: false, text: summaryOfAnswer(answer) };
    pages += 1;
    for (const { handle } of answer.body.items) shown.add(handle);
    if (answer.body.nextCursor === null) break;
    cursor = `&cursor=${encodeURIComponent(answer.body.nextCursor)}`;
  }
  const text = `${shown.size} of ${SESSIONS} on ${pages} pages, restarted ${restarts} times`;
  return { held: shown.size === SESSIONS, text };
};

/** The matches of one search, and its last event; optionally with a restart half-way. */
const search = async (own: PrivateConsole, restarts: boolean) => {
  const response = await request(own, `${MAIN}/sessions/search`);
  const sessions = new Set<string>();
  let last = `${response.status}`;
  let restart: Promise<void> | null = null;
  let text = '';
  try {
    for await (const bytes of response.body!) {
      text += Buffer.from(bytes).toString();
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const [, name, data = ''] = /event: (\w+)\ndata: (.*)/.exec(event) ?? [];
        if (name === 'match') sessions.add((JSON.parse(data) as Session).handle ?? data);
        else if (name) last = `${name} ${data}`;
      }
      if (restarts && sessions.size > SESSIONS / 2) restart ??= own.app.restart();
    }
  } catch {
    last = 'cut off';
  }
  await restart;
  return { count: sessions.size, last, complete: /"complete"/.test(last), met: restart !== null };
};

const drillSearch = async (own: PrivateConsole, report: Report): Promise<void> => {
  const first = await search(own, true);
  report.check(
    'a search across a restart finds all, or reports that it did not',
    first.met && (!first.complete || first.count === SESSIONS),
    `${first.count} of ${SESSIONS}, last event: ${first.last}`,
  );
  const again = await until('a search', async () => {
    const next = await search(own, false);
    return next.last.startsWith('503') ? null : next;
  });
  report.check('the search after it finds all', again.complete && again.count === SESSIONS, `${again.count}`);
};

interface Families {
  items: FamilyRow[];
  countedAt: string | null;
}

const counts = async (own: PrivateConsole, since: number) =>
  until('a census', async () => {
    const { body } = await get<Families>(own, `${MAIN}/families`);
    if (!body.countedAt || Date.parse(body.countedAt) < since) return null;
    const keysOf = (id: string) => body.items.find(({ family }) => family === id)?.keys ?? null;
    return { sessions: keysOf('discours.session'), authors: keysOf('discours.author-id') };
  });

/** The number of scan commands: without requests only the census sends any. */
const scans = async ({ app }: PrivateConsole): Promise<number> =>
  Number(/cmdstat_scan:calls=(\d+)/.exec(await app.client.info('commandstats'))?.[1] ?? 0);

const drillCensus = async (own: PrivateConsole, report: Report): Promise<void> => {
  await counts(own, Date.now());
  const before = await scans(own);
  await until('the next census', async () => ((await scans(own)) > before + 50 ? true : null));
  await own.app.restart();
  const { sessions, authors } = await counts(own, Date.now());
  report.check(
    'a census across a restart counts all',
    sessions === SESSIONS && authors === OTHERS,
    `${sessions} of ${SESSIONS} sessions, ${authors} of ${OTHERS} others`,
  );
  const stats = await get<SessionStats>(own, `${MAIN}/sessions/stats`);
  report.say(`sessions.stats: ${stats.body.sessions}`);
};

const drillRevocation = async (own: PrivateConsole, report: Report, far: number): Promise<void> => {
  const left = async () => (await keysLike(own.app.client, 'session:*')).length - (SESSIONS - far);
  const revoke = () => begin(own, `${MAIN}/sessions/revoke`, { filter: { address: FAR_ADDRESS } });
  const { jobId } = await revoke();
  await until('half of it', async () => {
    const job = await jobOf(own, jobId);
    return job?.finishedAt || (await left()) <= far / 2 ? true : null;
  });
  const atRestart = far - (await left());
  await own.app.restart();
  const job = await untilOver(own, jobId);
  const [remaining, { state, done, result }] = [await left(), job];
  const figures = `${atRestart} of ${far} gone at the restart; ${summaryOfJob(job)}; ${remaining} left`;
  const gone = far - remaining;
  const saysTruly =
    state === 'done'
      ? remaining === 0 && result?.remaining === 0
      : done <= gone && gone <= done + Math.max(job.pending, 0);
  report.check('a revocation across a restart reports its progress accurately', saysTruly, figures);
  const second = await untilOver(own, (await revoke()).jobId);
  const held = second.state === 'done' && second.result?.remaining === 0 && (await left()) === 0;
  report.check('a second revocation completes it', held, summaryOfJob(second));
  report.check('no other session was revoked', (await left()) === 0, `${await left()} left`);
};

export const run = (report: Report): Promise<void> =>
  withConsole([{ scan: SCAN }], async (own) => {
    await seedAuthors(own.app.client, OTHERS);
    const far = await seedSessions(own.app.client, SESSIONS, 10);
    for (const share of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      const { held, text } = await pageThrough(own, share);
      report.check(`paging with a restart after ${share * 100} % shows all`, held, text);
    }
    await drillSearch(own, report);
    await drillCensus(own, report);
    await drillRevocation(own, report, far);
  });
