// The server becomes a read-only replica during an undo: nothing may be lost, and a second undo must complete it.
import { freePort } from '../redis-server.mjs';
import { begin, MAIN, post, summaryOfAnswer, summaryOfJob, until, untilOver } from './api';
import { copyOf, differences, seedAuthors } from './keys';
import { type Report, withConsole } from './report';

const KEYS = 40_000;

export const run = (report: Report): Promise<void> =>
  withConsole([], async (own) => {
    const { client } = own.app;
    await seedAuthors(client, KEYS);
    const before = await copyOf(client);
    const { jobId, auditId } = await begin(own, `${MAIN}/families/invalidate`, {
      family: 'discours.author-id',
    });
    const invalidated = await untilOver(own, jobId);
    report.check(
      `an invalidation deletes ${KEYS} keys`,
      invalidated.state === 'done' && (await client.dbsize()) === 0,
      summaryOfJob(invalidated),
    );

    const undo = () => post<{ jobId: string }>(own, `/api/v1/audit/${auditId}/undo`);
    const closed = await freePort();
    const undoing = await undo();
    await until('half of the undo', async () => ((await client.dbsize()) >= KEYS / 2 ? true : null));
    await client.replicaof('127.0.0.1', closed);
    const stopped = await untilOver(own, undoing.body.jobId);
    const restored = await client.dbsize();
    const { result, done, pending } = stopped;
    const isTrue = result ? result.restored === restored : done <= restored && restored <= done + pending;
    report.check(
      'an undo on a server that became a replica does not succeed',
      stopped.state === 'failed' || stopped.state === 'interrupted',
      summaryOfJob(stopped),
    );
    report.check('it reports its progress', isTrue, `the server has ${restored}`);

    await client.replicaof('NO', 'ONE');
    const again = await until('the second undo', async () => {
      const answer = await undo();
      return answer.status === 503 ? null : answer;
    });
    const second = again.body.jobId ? await untilOver(own, again.body.jobId) : null;
    report.check(
      'a second undo succeeds',
      second?.state === 'done',
      second ? summaryOfJob(second) : summaryOfAnswer(again),
    );
    const { same, text } = differences(before, await copyOf(client));
    report.check(`exactly ${KEYS} keys are there, each with its value and expiry`, same, text);
    const chain = await post<{ ok: boolean }>(own, '/api/v1/audit/verify');
    report.check('the audit chain verifies', chain.body.ok === true);
  });
