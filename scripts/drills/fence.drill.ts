// The primary is replaced while a job changes it: the keys on the new primary match the job's account.
import type { Redis } from 'ioredis';
import { Redis as Client } from 'ioredis';
import { type Sentinels, startSentinels } from '../sentinels.mjs';
import type { PrivateConsole } from '../testing/private-console';
import { begin, MAIN, post, summaryOfAnswer, summaryOfJob, until, untilOver } from './api';
import { type Copy, copyOf, differences, seedAuthors } from './keys';
import { type Report, withConsole } from './report';

const KEYS = 40_000;
const DOWN_AFTER_MS = 1500;
/** Shares of changed keys at which the primary is replaced. */
const POINTS = [0.02, 0.25, 0.5, 0.75, 0.97];

type Way = 'SENTINEL FAILOVER' | 'kill -9';

interface Run {
  report: Report;
  own: PrivateConsole;
  watched: Sentinels;
  way: Way;
}

const onPrimary = async <T>(watched: Sentinels, work: (client: Redis) => Promise<T>): Promise<T> => {
  const client = new Client((await watched.primary())!.url);
  client.on('error', () => undefined);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
};

/** Replaces the primary at this number of keys. Resolves when the Sentinels name the new one. */
const replaceWhen = async (
  { watched, way }: Run,
  what: string,
  isThere: (keys: number) => boolean,
): Promise<void> => {
  const old = (await watched.primary())!;
  await onPrimary(watched, (client) =>
    until(what, async () => (isThere(await client.dbsize()) ? true : null)),
  );
  if (way === 'kill -9') {
    old.process.kill('SIGKILL');
    await watched.untilPrimaryIsNot(old);
  } else await watched.failover();
};

/** Remaining keys of the invalidation on the primary, by our own SCAN, which excludes expired ones. */
const leftOn = (watched: Sentinels): Promise<Copy> => onPrimary(watched, (client) => copyOf(client));

const fenceOf = (fencing: object | null | undefined): string => JSON.stringify(fencing);

const invalidateWhile = async (run: Run, point: number): Promise<string> => {
  const { report, own, watched, way } = run;
  const { jobId, auditId } = await begin(own, `${MAIN}/families/invalidate`, {
    family: 'discours.author-id',
  });
  await replaceWhen(run, 'a part of the invalidation', (keys) => keys <= KEYS * (1 - point));
  const job = await untilOver(own, jobId);
  const left = (await leftOn(watched)).size;
  const deleted = Number(job.result?.deleted);
  report.check(
    `${way} at ${point * 100} % of an invalidation: it deleted what is gone from the new primary`,
    job.state === 'done' && deleted === KEYS - left && left === 0,
    `${left} left; ${summaryOfJob(job)}; ${fenceOf(job.fencing)}`,
  );
  return auditId;
};

const undoWhile = async (run: Run, point: number, auditId: string, before: Copy): Promise<void> => {
  const { report, own, watched, way } = run;
  const undo = () => post<{ jobId: string }>(own, `/api/v1/audit/${auditId}/undo`);
  const answer = await undo();
  if (!answer.body.jobId) throw new Error(`undo: ${summaryOfAnswer(answer)}`);
  await replaceWhen(run, 'a part of the undo', (keys) => keys >= KEYS * point);
  const job = await untilOver(own, answer.body.jobId);
  const { same, text } = differences(before, await leftOn(watched));
  report.check(
    `${way} at ${point * 100} % of its undo: ${KEYS} keys are on the new primary, each with its value and expiry`,
    job.state === 'done' && same,
    `${text}; ${summaryOfJob(job)}; ${fenceOf(job.fencing)}`,
  );
};

export const run = async (report: Report): Promise<void> => {
  for (const way of ['SENTINEL FAILOVER', 'kill -9'] as const)
    for (const point of POINTS) {
      // Separate servers for each run, because kill -9 removes one.
      const watched = await startSentinels({ replicas: 3, downAfterMs: DOWN_AFTER_MS });
      try {
        const sentinel = { name: watched.name, nodes: watched.nodes };
        await withConsole([{ sentinel }], async (own) => {
          const before = await onPrimary(watched, async (client) => {
            await seedAuthors(client, KEYS);
            await client.wait(3, 10_000);
            return copyOf(client);
          });
          const auditId = await invalidateWhile({ report, own, watched, way }, point);
          await undoWhile({ report, own, watched, way }, point, auditId, before);
        });
      } finally {
        await watched.stop();
      }
    }
};
