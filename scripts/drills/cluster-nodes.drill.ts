// A primary of a cluster dies and a node joins while jobs run and charts are drawn: jobs end truthfully, charts
// continue.
import { setTimeout as delay } from 'node:timers/promises';
import type { HistoryEvent, Point } from '@/lib/history/schema';
import type { Job } from '@/lib/jobs/schema';
import { type Cluster, startCluster } from '../cluster.mjs';
import type { PrivateConsole } from '../testing/private-console';
import { begin, get, MAIN, post, summaryOfAnswer, summaryOfJob, until, untilOver } from './api';
import { type Copy, differences, seedAuthors } from './keys';
import { copyOfCluster, onPrimaries, sizeOfCluster } from './on-cluster';
import { type Report, withConsole } from './report';

const KEYS = 40_000;
const MOVED_SLOTS = 200;
/** MIGRATE and a replica's clock shift the expiry of a key by several ms. */
const NEAR_MS = 100;
/** A span of ten seconds is stored when the next one begins. */
const STORED_MS = 21_000;

const fenceOf = (job: Job): string => JSON.stringify(job.fencing ?? null);

const left = (cluster: Cluster): Promise<number> => sizeOfCluster(cluster);

/** Kills the first primary; its replica takes over. */
const killPrimary = async (cluster: Cluster): Promise<void> => {
  const [first] = await cluster.primaries();
  const [[slot]] = (await cluster.slotsOf(first!)) as [[number, number]];
  first!.process.kill('SIGKILL');
  await cluster.untilServedBy(slot, (server) => server !== first);
};

/** A node joins and gets slots of the first primary. */
const joinNode = async (cluster: Cluster): Promise<void> => {
  const [first] = await cluster.primaries();
  const [[from]] = (await cluster.slotsOf(first!)) as [[number, number]];
  const added = await cluster.addNode();
  await cluster.moveSlots(
    Array.from({ length: MOVED_SLOTS }, (_, i) => from + i),
    added,
  );
};

const invalidateWhile = async (
  report: Report,
  own: PrivateConsole,
  cluster: Cluster,
  what: string,
  happen: () => Promise<void>,
): Promise<string> => {
  const { jobId, auditId } = await begin(own, `${MAIN}/families/invalidate`, {
    family: 'discours.author-id',
  });
  await until('a part of the invalidation', async () => ((await left(cluster)) < KEYS * 0.9 ? true : null));
  await happen();
  const job = await untilOver(own, jobId, 120_000);
  const remaining = await left(cluster);
  report.check(
    `${what} during an invalidation: it deleted what is gone`,
    job.state === 'done' && Number(job.result?.deleted) === KEYS - remaining && remaining === 0,
    `${remaining} left; ${summaryOfJob(job)}; ${fenceOf(job)}`,
  );
  return auditId;
};

const undoWhile = async (
  report: Report,
  own: PrivateConsole,
  cluster: Cluster,
  what: string,
  [auditId, before, happen]: [string, Copy, () => Promise<void>],
): Promise<void> => {
  const answer = await post<{ jobId: string }>(own, `/api/v1/audit/${auditId}/undo`);
  if (!answer.body.jobId) throw new Error(`undo: ${summaryOfAnswer(answer)}`);
  await until('a part of the undo', async () => ((await left(cluster)) > KEYS * 0.1 ? true : null));
  await happen();
  const job = await untilOver(own, answer.body.jobId, 120_000);
  const { same, text } = differences(before, await copyOfCluster(cluster), NEAR_MS);
  report.check(
    `${what} during an undo: ${KEYS} keys are there, each with its value and expiry`,
    job.state === 'done' && same,
    `${text}; ${summaryOfJob(job)}; ${fenceOf(job)}`,
  );
};

interface Series {
  points: Point[];
  events: HistoryEvent[];
}

export const run = async (report: Report): Promise<void> => {
  const cluster = await startCluster({ primaries: 3, replicas: 1 });
  try {
    await withConsole([{ cluster: { nodes: cluster.nodes } }], async (own) => {
      await onPrimaries(cluster, async (client, isHere) => {
        await seedAuthors(client, KEYS, isHere);
        await client.wait(1, 10_000);
      });
      const before = await copyOfCluster(cluster);
      await until('a point', async () => {
        const { body } = await get<{ keys: number | null }>(own, `${MAIN}/overview`);
        return body.keys === KEYS ? true : null;
      });
      const began = Date.now();
      const auditId = await invalidateWhile(report, own, cluster, 'A primary that dies', () =>
        killPrimary(cluster),
      );
      await undoWhile(report, own, cluster, 'A node that joins', [auditId, before, () => joinNode(cluster)]);
      const again = await invalidateWhile(report, own, cluster, 'An ordered failover', async () => {
        await cluster.failover();
      });
      await undoWhile(report, own, cluster, 'An ordered failover', [
        again,
        before,
        async () => {
          await cluster.failover();
        },
      ]);
      await delay(STORED_MS);
      const range = `from=${new Date(began).toISOString()}&to=${new Date().toISOString()}&stepSeconds=10`;
      const { points, events } = (await get<Series>(own, `${MAIN}/history/series?${range}`)).body;
      const kinds = events.map(({ kind }) => kind);
      report.check('no mark of a restart', !kinds.includes('restart'), kinds.join(', '));
      report.check(
        'failovers and the new node are marked',
        kinds.filter((kind) => kind === 'failover').length === 3 &&
          kinds.filter((kind) => kind === 'node-added').length === 1,
        kinds.join(', '),
      );
      const steps = (Date.now() - began) / 10_000;
      const known = points.filter(({ opsPerSecond }) => opsPerSecond !== null).length;
      report.check(
        'the charts go on',
        known >= steps * 0.7 && points.every(({ opsPerSecond }) => (opsPerSecond ?? 0) >= 0),
        `${known} of about ${Math.floor(steps)} points`,
      );
    });
  } finally {
    await cluster.stop();
  }
};
