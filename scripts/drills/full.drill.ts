// A server without free memory: every change must fail with a clear message and without a partial effect, deletions
// must work, and everything must work once there is memory again.
import type { PrivateConsole } from '../testing/private-console';
import { begin, MAIN, post, summaryOfAnswer, summaryOfJob, untilOver } from './api';
import { type Change, changesOf, seedAll } from './changes';
import { copyOf, differences, seedAuthors } from './keys';
import { type Outcome, operationsOf, perform } from './operations';
import { type Report, withConsole } from './report';

const NAMES_THE_STATE = /\bfull\b|memory limit|maxmemory/i;
/** Refusals because the requested thing does not exist: they say nothing about the server. */
const OWN_REFUSALS = [400, 404, 409, 412];

const full = ({ app }: PrivateConsole, isFull: boolean) =>
  app.client.config('SET', 'maxmemory', isFull ? '1' : '0');

const isOwnRefusal = ({ ok, status, code, job }: Outcome): boolean =>
  !ok && !job && code !== 'full' && OWN_REFUSALS.includes(status);

const namesTheState = ({ status, code, detail }: Outcome): boolean =>
  (status < 500 || status === 503) && (code === 'full' || NAMES_THE_STATE.test(detail));

const drillChanges = async (own: PrivateConsole, report: Report): Promise<void> => {
  const operations = new Map((await operationsOf(own)).map((operation) => [operation.id, operation]));
  await seedAll(own);
  const changes = await changesOf(own);
  const change = ({ id, input }: Change) => perform(own, operations.get(id)!, 'main', input);
  await full(own, true);
  const refused: Change[] = [];
  for (const each of changes) {
    const before = await copyOf(own.app.client);
    const outcome = await change(each);
    const isTrue = outcome.ok || (!each.deletes && (isOwnRefusal(outcome) || namesTheState(outcome)));
    report.check(`full: ${outcome.line}`, isTrue);
    const { same, text } = differences(before, await copyOf(own.app.client));
    if (!outcome.ok && !outcome.job && !same) report.check(`full: ${each.id} changed something`, false, text);
    if (!outcome.ok && !isOwnRefusal(outcome)) refused.push(each);
  }
  await full(own, false);
  for (const each of refused) {
    const outcome = await change(each);
    report.check(`with memory: ${outcome.line}`, outcome.ok);
  }
};

const drillUndo = async (own: PrivateConsole, report: Report): Promise<void> => {
  const { client } = own.app;
  await client.flushall();
  await seedAuthors(client, 5000);
  const before = await copyOf(client);
  const { jobId, auditId } = await begin(own, `${MAIN}/caches/invalidate`, { family: 'discours.author-id' });
  await untilOver(own, jobId);
  const undo = () => post<{ jobId: string }>(own, `/api/v1/audit/${auditId}/undo`);
  await full(own, true);
  const stopped = await untilOver(own, (await undo()).body.jobId);
  const isNamed = stopped.state === 'failed' && NAMES_THE_STATE.test(stopped.error ?? '');
  report.check('full: an undo fails and names the state', isNamed, summaryOfJob(stopped));
  await full(own, false);
  const again = await undo();
  const second = again.body.jobId
    ? summaryOfJob(await untilOver(own, again.body.jobId))
    : summaryOfAnswer(again);
  const { same, text } = differences(before, await copyOf(client));
  report.check('with memory: a second undo restores everything', same, `${second}; ${text}`);
};

export const run = (report: Report): Promise<void> =>
  withConsole([], async (own) => {
    await drillChanges(own, report);
    await drillUndo(own, report);
  });
