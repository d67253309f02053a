// kill -9 of the console in the middle of its work: the record says truly how far that came, and a second run ends it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { AuditEntry } from '@/lib/audit/schema';
import type { Job } from '@/lib/jobs/schema';
import type { PrivateConsole } from '../testing/private-console';
import { get, until, untilOver } from './api';
import { type Report, withConsole } from './report';
import { type Place, type Verdict, WORKS, type Work } from './works';

const POINTS = Number(process.env.KEYWARD_DRILL_POINTS ?? 20);
const SEED = Number(process.env.KEYWARD_DRILL_SEED ?? Date.now() % 100_000);
/** Longer than the lock of a dead process's job lasts: what is still pending then stays so. */
const SETTLED_MS = 15_000;

/** Killed together, in two consoles side by side: a console works at two jobs at once. */
const TOGETHER = [
  ['invalidate', 'repair', 'backup'],
  ['undo', 'revoke', 'restore'],
];

/** A small generator (mulberry32): the same seed gives the same delays. */
const randomOf = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

interface Tally {
  ends: Map<string, number>;
  lies: string[];
  pending: number;
  incomplete: string[];
}

interface Killed {
  name: string;
  work: Work;
  place: Place;
  /** The least ms that it was seen to take. */
  takes: number;
  begunAt: number;
  tally: Tally;
}

const entryOf = async ({ place: { own }, name, work }: Killed, since: number): Promise<AuditEntry | null> => {
  const path = `/api/v1/audit?action=${work.action}&connection=${name}&limit=1`;
  const [entry] = (await get<{ items: AuditEntry[] }>(own, path)).body.items;
  return entry && Date.parse(entry.at) >= since ? entry : null;
};

const jobOf = async ({ place: { own }, name }: Killed, auditId: string): Promise<Job | null> => {
  const { body } = await get<{ items: Job[] }>(own, `/api/v1/jobs?connection=${name}&limit=20`);
  return body.items.find((job) => job.auditId === auditId) ?? null;
};

/** The entry of a job once it says how it ended; as it is when it never does. */
const untilSettled = async (killed: Killed, since: number): Promise<AuditEntry | null> => {
  const ask = async () => {
    const entry = await entryOf(killed, since);
    return entry?.outcome === 'pending' ? null : { entry };
  };
  const settled = await until('an outcome', ask, SETTLED_MS).catch(() => null);
  return settled ? settled.entry : entryOf(killed, since);
};

/** A command that is no job and has no outcome stays pending: nobody knows whether it was done, and it says so. */
const endOf = (entry: AuditEntry | null, job: Job | null): string => {
  if (job) return job.state;
  return entry?.outcome === 'pending' ? 'without an outcome' : (entry?.outcome ?? 'not begun');
};

/** What is wrong with what is said of it; null when all is true. */
const lieOf = (entry: AuditEntry | null, job: Job | null, done: number | null): string | null => {
  const isDone = done === null ? 'what it counts is not comparable' : `${done} done by a look at the server`;
  if (!entry) return done ? `no audit entry, ${isDone}` : null;
  const isFalse = (entry.outcome === 'failed' && done) || (entry.outcome === 'succeeded' && done === 0);
  if (!job) return isFalse ? `${entry.outcome}, ${isDone}` : null;
  const summary = `${job.state}, ${job.done} done, ${job.pending} under way; audit ${entry.outcome}; ${isDone}`;
  if ((job.state === 'done') !== (entry.outcome === 'succeeded')) return summary;
  if (done === null) return null;
  return job.done <= done && done <= job.done + job.pending ? null : summary;
};

/** Kills fall into the middle of it only where its duration is known; that of the first run is the longest. */
const noteEnd = (killed: Killed, endedAt: number): void => {
  killed.takes = Math.min(killed.takes, endedAt - killed.begunAt);
};

const judge = async (killed: Killed, since: number): Promise<void> => {
  const { work, tally } = killed;
  const begun = await entryOf(killed, since);
  const job = begun && (await jobOf(killed, begun.id));
  const entry = job ? await untilSettled(killed, since) : begun;
  const ended = job && (await untilOver(killed.place.own, job.jobId));
  if (ended?.state === 'done') noteEnd(killed, Date.parse(ended.finishedAt!));
  const end = endOf(entry, ended);
  tally.ends.set(end, (tally.ends.get(end) ?? 0) + 1);
  if (job && entry?.outcome === 'pending') tally.pending += 1;
  const lie = lieOf(entry, ended, await work.done());
  if (lie) tally.lies.push(lie);
  if (work.isWhole && !(await work.isWhole())) tally.lies.push('half of it was done');
  const { held, text }: Verdict = await work.complete();
  if (!held) tally.incomplete.push(`${end}, then ${text}`);
};

const begin = async (killed: Killed): Promise<string | undefined> => {
  killed.begunAt = Date.now();
  const { status, body } = await killed.work.run();
  if (status === 200) noteEnd(killed, Date.now());
  return body.jobId;
};

/** How long a work takes from its call to its end, while the others are at it too. */
const measure = async (killed: Killed): Promise<void> => {
  const jobId = await begin(killed);
  if (jobId) await untilOver(killed.place.own, jobId);
  noteEnd(killed, Date.now());
};

/** Each work is begun so long before the kill that this comes at its share of it. */
const killOnce = async (own: PrivateConsole, all: readonly Killed[], share: () => number): Promise<void> => {
  await Promise.all(all.map(({ work }) => work.prepare()));
  const since = Date.now();
  const longest = Math.max(...all.map(({ takes }) => takes));
  const calls = all.map(async (killed) => {
    await delay(longest - share() * killed.takes);
    await begin(killed);
  });
  await delay(longest);
  await own.kill();
  await Promise.all(calls);
  await own.start();
  await Promise.all(all.map((killed) => judge(killed, since)));
};

const tell = ({ name, takes, tally }: Killed, report: Report): void => {
  const { ends, lies, pending, incomplete } = tally;
  const summary = [...ends].map(([end, count]) => `${count} ${end}`).join(', ');
  report.say(`${name}: takes ${Math.round(takes)} ms; after ${POINTS} kills: ${summary}`);
  const listed = (texts: string[]) => [`${texts.length} of ${POINTS}`, ...texts].join('\n        ');
  report.check(`${name}: the record is true`, lies.length === 0, listed(lies));
  report.check(
    `${name}: the audit entry of a job has an outcome`,
    pending === 0,
    `${pending} of ${POINTS} pending for ever`,
  );
  report.check(`${name}: a second run completes it exactly`, incomplete.length === 0, listed(incomplete));
};

const killedOf = (own: PrivateConsole, name: string, redis: Redis): Killed => {
  const place: Place = { own, path: `/api/v1/connections/${name}`, redis };
  const tally: Tally = { ends: new Map(), lies: [], pending: 0, incomplete: [] };
  return { name, place, work: WORKS[name]!(place), takes: Number.POSITIVE_INFINITY, begunAt: 0, tally };
};

const drillGroup = async (names: readonly string[], report: Report): Promise<void> => {
  const random = randomOf(SEED);
  const entries = names.map((id, database) => ({ id, name: id, database }));
  await withConsole(entries, async (own) => {
    const clients = names.map((_, db) => own.app.client.duplicate({ db }));
    const all = names.map((name, i) => killedOf(own, name, clients[i]!));
    await Promise.all(all.map(({ work }) => work.prepare()));
    await Promise.all(all.map(measure));
    for (let point = 0; point < POINTS; point++) await killOnce(own, all, () => (point + random()) / POINTS);
    for (const killed of all) tell(killed, report);
    for (const client of clients) client.disconnect();
  });
};

export const run = async (report: Report): Promise<void> => {
  report.say(`KEYWARD_DRILL_SEED=${SEED} KEYWARD_DRILL_POINTS=${POINTS}`);
  await Promise.all(TOGETHER.map((names) => drillGroup(names, report)));
};
