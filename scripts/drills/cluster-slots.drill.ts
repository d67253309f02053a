// Slots of a cluster move while a job changes all keys, and while a search reads them: nothing is missed or done twice.
import { type Cluster, startCluster } from '../cluster.mjs';
import { makeJwt } from '../testing/sessions';
import { begin, MAIN, post, request, summaryOfAnswer, summaryOfJob, until, untilOver } from './api';
import { differences, seedAuthors } from './keys';
import { copyOfCluster, onPrimaries, sizeOfCluster } from './on-cluster';
import { type Report, withConsole } from './report';

const KEYS = 40_000;
const MOVED_SLOTS = 600;
const SESSIONS = 40_000;
/** MIGRATE sends the remaining TTL, not the expiry time. */
const MIGRATE_MS = 100;

/** Moves slots of the first primary to the second and back. Resolves with the duration. */
const moveBothWays = async (cluster: Cluster): Promise<string> => {
  const [first, second] = await cluster.primaries();
  const slotsOf = async (server: NonNullable<typeof first>): Promise<number[]> => {
    const ranges = await cluster.slotsOf(server);
    const slots = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
    // From all parts of the keyspace, so that their keys occur everywhere in a scan.
    const step = Math.floor(slots.length / MOVED_SLOTS);
    return slots.filter((_, i) => i % step === 0).slice(0, MOVED_SLOTS);
  };
  const [there, back] = [await slotsOf(first!), await slotsOf(second!)];
  const startedAt = performance.now();
  await cluster.moveSlots(there, second!);
  await cluster.moveSlots(back, first!);
  return `${there.length} + ${back.length} slots in ${Math.round(performance.now() - startedAt)} ms`;
};

const seedSessionsOf = async (cluster: Cluster): Promise<void> => {
  const sessions = Array.from({ length: SESSIONS }, (_, n) => ({
    key: `session:${n}:${makeJwt({ user_id: String(n) }, String(n))}`,
    user_id: String(n),
  }));
  await onPrimaries(cluster, async (client, isHere) => {
    for (let from = 0; from < SESSIONS; from += 1000) {
      const pipeline = client.pipeline();
      for (const { key, user_id } of sessions.slice(from, from + 1000))
        if (isHere(key)) pipeline.hset(key, { user_id, username: `user${user_id}`, token_type: 'session' });
      await pipeline.exec();
    }
  });
};

/** A complete search for all sessions: how often each was sent, and the last event. */
const search = async (response: Response): Promise<{ ids: string[]; end: string }> => {
  const text = await response.text();
  const events = text.split('\n\n').map((event) => ({
    name: /^event: (.*)$/m.exec(event)?.[1],
    data: /^data: (.*)$/m.exec(event)?.[1] ?? '',
  }));
  return {
    ids: events.filter(({ name }) => name === 'match').map(({ data }) => String(JSON.parse(data).userId)),
    end: events.find(({ name }) => name === 'end' || name === 'error')?.data ?? 'no end',
  };
};

export const run = async (report: Report): Promise<void> => {
  const cluster = await startCluster({ primaries: 3 });
  try {
    await withConsole([{ cluster: { nodes: cluster.nodes }, scan: { pauseMs: 1 } }], async (own) => {
      await onPrimaries(cluster, (client, isHere) => seedAuthors(client, KEYS, isHere));
      const before = await copyOfCluster(cluster);
      report.check('the drill has its keys', before.size === KEYS, `${before.size}`);

      const { jobId, auditId } = await begin(own, `${MAIN}/families/invalidate`, {
        family: 'discours.author-id',
      });
      await until('a part of the invalidation', async () =>
        (await sizeOfCluster(cluster)) < KEYS * 0.97 ? true : null,
      );
      const moved = await moveBothWays(cluster);
      const leftThen = await sizeOfCluster(cluster);
      const job = await untilOver(own, jobId);
      const left = await sizeOfCluster(cluster);
      report.check(
        `${KEYS} keys are deleted while slots move, each once`,
        job.state === 'done' && Number(job.result?.deleted) === KEYS && left === 0,
        `${moved}, ${leftThen} keys left then; ${left} left; ${summaryOfJob(job)}; ${JSON.stringify(job.result)}`,
      );

      const answer = await post<{ jobId: string }>(own, `/api/v1/audit/${auditId}/undo`);
      if (!answer.body.jobId) throw new Error(`undo: ${summaryOfAnswer(answer)}`);
      await until('a part of the undo', async () =>
        (await sizeOfCluster(cluster)) > KEYS * 0.03 ? true : null,
      );
      const movedAgain = await moveBothWays(cluster);
      const undone = await untilOver(own, answer.body.jobId);
      const { same, text } = differences(before, await copyOfCluster(cluster), MIGRATE_MS);
      report.check(
        'undo restores each key with its value and expiry while slots move',
        undone.state === 'done' && same,
        `${movedAgain}; ${text}; ${summaryOfJob(undone)}; ${JSON.stringify(undone.result)}`,
      );

      await onPrimaries(cluster, (client) => client.flushdb());
      await seedSessionsOf(cluster);
      for (const round of [1, 2, 3]) {
        const searching = request(own, `${MAIN}/sessions/search`).then(search);
        const during = await moveBothWays(cluster);
        const { ids, end } = await searching;
        const different = new Set(ids).size;
        report.check(
          `a complete search finds each of ${SESSIONS} sessions once while slots move, run ${round}`,
          different === SESSIONS && ids.length === SESSIONS && end.includes('complete'),
          `${during}; ${ids.length} matches, ${different} different; ${end}`,
        );
      }
    });
  } finally {
    await cluster.stop();
  }
};
