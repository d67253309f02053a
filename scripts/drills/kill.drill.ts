// kill -9 of the console during its work: the audit entry must be accurate, and a second run must complete the work.
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { AuditEntry } from '@/lib/audit/schema';
import type { Job } from '@/lib/jobs/schema';
import { seededRandom } from '../demo-traffic/random';
import type { PrivateConsole } from '../testing/private-console';
import { get, until, untilOver } from './api';
import { type Report, withConsole } from './report';
import { type Place, type Verdict, WORKS, type Work } from './works';

const POINTS = Number(process.env.KEYWARD_DRILL_POINTS ?? 20);
const SEED = Number(process.env.KEYWARD_DRILL_SEED ?? Date.now() % 100_000);
/** Longer than the lock of a dead process's job: an entry that is still pending then stays pending. */
const SETTLED_MS = 15_000;

/** Killed together, in two consoles side by side: a console runs two jobs concurrently. */
const TOGETHER = [
  ['invalidate', 'repair', 'backup'],
  ['undo', 'revoke', 'restore'],
];

interface Counts {
  ends: Map<string, number>;
  lies: string[];
  pending: number;
  incomplete: string[];
}

interface Killed {
  name: string;
  work: Work;
  place: Place;
  /** The shortest duration measured, ms. */
  takes: number;
  begunAt: number;
  counts: Counts;
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

/** The entry of a job once it has an outcome; the pending entry if it never gets one. */
const untilSettled = async (killed: Killed, since: number): Promise<AuditEntry | null> => {
  const ask = async () => {
    const entry = await entryOf(killed, since);
    return entry?.outcome === 'pending' ? null : { entry };
  };
  const settled = await until('an outcome', ask, SETTLED_MS).catch(() => null);
  return settled ? settled.entry : entryOf(killed, since);
};

/** A command that is not a job and has no outcome stays pending, because its effect is unknown. */
const endOf = (entry: AuditEntry | null, job: Job | null): string => {
  if (job) return job.state;
  return entry?.outcome === 'pending' ? 'without an outcome' : (entry?.outcome ?? 'not begun');
};

/** What is wrong in the audit entry and the job; null when both are accurate. */
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

/** The duration decides when to kill; the first run is the longest. */
const noteEnd = (killed: Killed, endedAt: number): void => {
  killed.takes = Math.min(killed.takes, endedAt - killed.begunAt);
};

const judge = async (killed: Killed, since: number): Promise<void> => {
  const { work, counts } = killed;
  const begun = await entryOf(killed, since);
  const job = begun && (await jobOf(killed, begun.id));
  const entry = job ? await untilSettled(killed, since) : begun;
  const ended = job && (await untilOver(killed.place.own, job.jobId));
  if (ended?.state === 'done') noteEnd(killed, Date.parse(ended.finishedAt!));
  const end = endOf(entry, ended);
  counts.ends.set(end, (counts.ends.get(end) ?? 0) + 1);
  if (job && entry?.outcome === 'pending') counts.pending += 1;
  const lie = lieOf(entry, ended, await work.done());
  if (lie) counts.lies.push(lie);
  if (work.isWhole && !(await work.isWhole())) counts.lies.push('half of it was done');
  const { held, text }: Verdict = await work.complete();
  if (!held) counts.incomplete.push(`${end}, then ${text}`);
};

const begin = async (killed: Killed): Promise<string | undefined> => {
  killed.begunAt = Date.now();
  const { status, body } = await killed.work.run();
  if (status === 200) noteEnd(killed, Date.now());
  return body.jobId;
};

/** The duration of a task while the others also run. */
const measure = async (killed: Killed): Promise<void> => {
  const jobId = await begin(killed);
  if (jobId) await untilOver(killed.place.own, jobId);
  noteEnd(killed, Date.now());
};

/** Starts each task early enough that the kill falls at the given share of its duration. */
const killOnce = async (
  own: PrivateConsole,
  tasks: readonly Killed[],
  share: () => number,
): Promise<void> => {
  await Promise.all(tasks.map(({ work }) => work.prepare()));
  const since = Date.now();
  const longest = Math.max(...tasks.map(({ takes }) => takes));
  const calls = tasks.map(async (killed) => {
    await delay(longest - share() * killed.takes);
    await begin(killed);
  });
  await delay(longest);
  await own.kill();
  await Promise.all(calls);
  await own.start();
  await Promise.all(tasks.map((killed) => judge(killed, since)));
};

const tell = ({ name, takes, counts }: Killed, report: Report): void => {
  const { ends, lies, pending, incomplete } = counts;
  const summary = [...ends].map(([end, count]) => `${count} ${end}`).join(', ');
  report.say(`${name}: takes ${Math.round(takes)} ms; after ${POINTS} kills: ${summary}`);
  const listed = (texts: string[]) => [`${texts.length} of ${POINTS}`, ...texts].join('\n        ');
  report.check(`${name}: the audit entry is accurate`, lies.length === 0, listed(lies));
  report.check(
    `${name}: the audit entry of a job has an outcome`,
    pending === 0,
    `${pending} of ${POINTS} pending for ever`,
  );
  report.check(`${name}: a second run completes it exactly`, incomplete.length === 0, listed(incomplete));
};

const killedOf = (own: PrivateConsole, name: string, redis: Redis): Killed => {
  const place: Place = { own, path: `/api/v1/connections/${name}`, redis };
  const counts: Counts = { ends: new Map(), lies: [], pending: 0, incomplete: [] };
  return { name, place, work: WORKS[name]!(place), takes: Number.POSITIVE_INFINITY, begunAt: 0, counts };
};

const drillGroup = async (names: readonly string[], report: Report): Promise<void> => {
  const random = seededRandom(SEED);
  const entries = names.map((id, database) => ({ id, name: id, database }));
  await withConsole(entries, async (own) => {
    const clients = names.map((_, db) => own.app.client.duplicate({ db }));
    const tasks = names.map((name, i) => killedOf(own, name, clients[i]!));
    await Promise.all(tasks.map(({ work }) => work.prepare()));
    await Promise.all(tasks.map(measure));
    for (let point = 0; point < POINTS; point++)
      await killOnce(own, tasks, () => (point + random.next()) / POINTS);
    for (const killed of tasks) tell(killed, report);
    for (const client of clients) client.disconnect();
  });
};

export const run = async (report: Report): Promise<void> => {
  report.say(`KEYWARD_DRILL_SEED=${SEED} KEYWARD_DRILL_POINTS=${POINTS}`);
  await Promise.all(TOGETHER.map((names) => drillGroup(names, report)));
};
