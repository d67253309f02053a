// Redis users with limited permissions, a server without some commands, a full one and a replica: features reported as
// working must work, others must be refused in advance, and each refusal contains its reason.

import { spawn } from 'node:child_process';
import { Redis } from 'ioredis';
import type { connectionContracts, FeatureRow } from '@/lib/connections/schema';
import type { Result } from '@/lib/contract';
import { freePort } from '../redis-server.mjs';
import type { PrivateConsole } from '../testing/private-console';
import { begin, get, MAIN, post, summaryOfAnswer, summaryOfJob, until, untilOver } from './api';
import { type Change, changesOf, READ_INPUT, readInput, seedAll } from './changes';
import { copyOf, differences, seedAuthors } from './keys';
import { type Operation, type Outcome, operationsOf, perform } from './operations';
import { type Report, withConsole } from './report';

const ON_ALL = ['~*', '&*'];
const USERS: Record<string, string[]> = {
  'reads-only': [...ON_ALL, '+@read', '-@dangerous'],
  'sessions-only': ['~session:*', '~user_sessions:*', '~*-*-*', '&*', '+@all'],
  'no-scripts': [...ON_ALL, '+@all', '-@scripting'],
  'no-info': [...ON_ALL, '+@all', '-info'],
  'no-monitor': [...ON_ALL, '+@all', '-monitor', '-config'],
};
const RENAMED = ['CONFIG', 'MONITOR', 'COMMAND', 'INFO'];

/** Refusals because of the input or the stored state, which reveal nothing about the server. */
const OWN_REFUSALS = [400, 404, 409, 412];
const NAMES_THE_STATE = /\bfull\b|memory limit|maxmemory/i;
/** A command (in capitals or quotes), or the keys. */
const A_NAME = /'[\w|]+'|\b(?!ACL|NOPERM|TTL)[A-Z_]{3,}\b|\b(this|these|such) keys?\b|key pattern|~/;

/** All reads of the OpenAPI document and all changes of the table. */
const callsOf = (operations: readonly Operation[], changes: readonly Change[]) =>
  operations.flatMap((operation): [Operation, Record<string, unknown>][] => {
    if (operation.method === 'GET') return [[operation, readInput(operation)]];
    return changes.filter(({ id }) => id === operation.id).map(({ input }) => [operation, input]);
  });

const isBroken = ({ status }: Outcome): boolean => status === 0 || (status >= 500 && status !== 503);
const isOwnRefusal = ({ ok, status, job }: Outcome): boolean => !ok && !job && OWN_REFUSALS.includes(status);

/** Jobs mention it only in their text. */
const namesIt = ({ code, command, detail, job }: Outcome): boolean =>
  (job !== null || code === 'not_permitted') &&
  /permi|may not|does not have the command/i.test(detail) &&
  (typeof command === 'string' || A_NAME.test(detail));

type Features = ReadonlyMap<string, FeatureRow>;

/** By operation. */
const featuresOf = async (own: PrivateConsole, connection: string, report: Report): Promise<Features> => {
  const path = `/api/v1/connections/${connection}/capabilities`;
  const { status, body } = await get<Result<typeof connectionContracts.capabilities>>(own, path);
  if (status !== 200) throw new Error(`${path}: ${status}`);
  const count = (state: FeatureRow['state']) =>
    body.features.filter((feature) => feature.state === state).length;
  report.say(`${connection}: works ${count('works')}, slower ${count('slower')}, no ${count('no')}`);
  return new Map(
    body.features.flatMap((feature) => feature.operations.map((operation) => [operation, feature] as const)),
  );
};

const linesOf = (outcomes: readonly Outcome[]): string =>
  outcomes.map(({ line }) => `\n        ${line.slice(0, 220)}`).join('');

/** Makes every call through a connection, and compares it with the reported capabilities. */
const drillConnection = async (
  own: PrivateConsole,
  connection: string,
  operations: readonly Operation[],
  report: Report,
): Promise<void> => {
  const features = await featuresOf(own, connection, report);
  const outcomes: Outcome[] = [];
  for (const [operation, input] of callsOf(operations, await changesOf(own)))
    outcomes.push(await perform(own, operation, connection, input));
  const stateOf = ({ id }: Outcome) => features.get(id)?.state;
  /** Whether a refusal is about keys that the user may not access, as the feature reports. */
  const isOfKeys = ({ id, detail }: Outcome): boolean =>
    /only some keys/.test(features.get(id)?.reason ?? '') && / on \S+/.test(detail);
  const broken = outcomes.filter(isBroken);
  const refused = outcomes.filter((outcome) => !outcome.ok && !isOwnRefusal(outcome) && !isBroken(outcome));
  const unnamed = refused.filter((outcome) => !namesIt(outcome));
  const lied = outcomes.filter(
    (outcome) =>
      !outcome.ok &&
      !isOwnRefusal(outcome) &&
      !isOfKeys(outcome) &&
      ['works', 'slower'].includes(stateOf(outcome) ?? ''),
  );
  const tried = outcomes.filter(
    (outcome) =>
      stateOf(outcome) === 'no' && !isOwnRefusal(outcome) && (outcome.job !== null || outcome.status !== 503),
  );
  const check = (what: string, wrong: readonly Outcome[]) =>
    report.check(`${connection}: ${what}`, wrong.length === 0, `${wrong.length}${linesOf(wrong)}`);
  check('no 5xx but 503', broken);
  check('each refusal names the command or the keys', unnamed);
  check('what is reported to work, works', lied);
  check('what is reported not to work is refused before it is tried', tried);
};

/** A user without INFO gets no figures, but that is not an outage. */
const drillFigures = async (own: PrivateConsole, report: Report): Promise<void> => {
  const path = '/api/v1/connections/no-info';
  const { from, to } = READ_INPUT;
  const overview = await get(own, `${path}/overview`);
  const series = await get(own, `${path}/history/series?from=${from}&to=${to}&stepSeconds=10`);
  const list = await get<{ items: { id: string }[] }>(own, '/api/v1/connections');
  const connection = list.body.items.find(({ id }) => id === 'no-info');
  const text = JSON.stringify([connection, series.body, overview.body]);
  const held = text.includes('figures-not-permitted') && !/unreachable|outage/i.test(text);
  report.check('no-info: figures are "not permitted", not "unreachable"', held, text.slice(0, 700));
};

const drillFull = async (own: PrivateConsole, operations: readonly Operation[], report: Report) => {
  const { client } = own.app;
  await client.flushall();
  await seedAll(own);
  const changes = await changesOf(own);
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const change = ({ id, input }: Change) => perform(own, byId.get(id)!, 'main', input);
  await client.config('SET', 'maxmemory', '1');
  const features = await featuresOf(own, 'main', report);
  const again: Change[] = [];
  for (const operation of changes) {
    const before = await copyOf(client);
    const outcome = await change(operation);
    const isNamed = outcome.code === 'full' || NAMES_THE_STATE.test(outcome.detail);
    // The change's target does not exist, with or without memory.
    const isGone = isOwnRefusal(outcome) && (!operation.deletes || outcome.status === 404);
    const isTrue = outcome.ok || isGone || (!operation.deletes && isNamed && !isBroken(outcome));
    const isExpected =
      features.get(operation.id)?.state !== 'no' || (outcome.code === 'full' && !outcome.job);
    report.check(`full: ${outcome.line}`, isTrue && (isExpected || isOwnRefusal(outcome)));
    const { same, text } = differences(before, await copyOf(client));
    if (!outcome.ok && !outcome.job && !same)
      report.check(`full: ${operation.id} changed something`, false, text);
    if (!outcome.ok && !isOwnRefusal(outcome)) again.push(operation);
  }
  await client.config('SET', 'maxmemory', '0');
  for (const operation of again) {
    const outcome = await change(operation);
    report.check(`with memory: ${outcome.line}`, outcome.ok || isOwnRefusal(outcome));
  }
};

const drillUndo = async (own: PrivateConsole, report: Report): Promise<void> => {
  const { client } = own.app;
  await client.flushall();
  await seedAuthors(client, 5000);
  const before = await copyOf(client);
  const { jobId, auditId } = await begin(own, `${MAIN}/families/invalidate`, {
    family: 'discours.author-id',
  });
  await untilOver(own, jobId);
  const undo = () => post<{ jobId: string }>(own, `/api/v1/audit/${auditId}/undo`);
  await client.config('SET', 'maxmemory', '1');
  const stopped = await untilOver(own, (await undo()).body.jobId);
  const isNamed = stopped.state === 'failed' && NAMES_THE_STATE.test(stopped.error ?? '');
  report.check('full: an undo fails and names the state', isNamed, summaryOfJob(stopped));
  await client.config('SET', 'maxmemory', '0');
  const second = await undo();
  const text = second.body.jobId
    ? summaryOfJob(await untilOver(own, second.body.jobId))
    : summaryOfAnswer(second);
  const { same, text: how } = differences(before, await copyOf(client));
  report.check('with memory: a second undo restores everything', same, `${text}; ${how}`);
};

/** Every change of a feature is refused with 423 while the server is a replica. */
const drillReplica = async (own: PrivateConsole, operations: readonly Operation[], report: Report) => {
  await own.app.client.flushall();
  await seedAll(own);
  const changes = await changesOf(own);
  await own.app.client.call('REPLICAOF', '127.0.0.1', '1');
  const features = await featuresOf(own, 'main', report);
  const wrong: Outcome[] = [];
  let locked = 0;
  for (const { id, input } of changes) {
    if (features.get(id)?.state !== 'no') continue;
    const outcome = await perform(own, operations.find((candidate) => candidate.id === id)!, 'main', input);
    if (outcome.status === 423) locked += 1;
    else if (!isOwnRefusal(outcome)) wrong.push(outcome);
  }
  await own.app.client.call('REPLICAOF', 'NO', 'ONE');
  report.check(`replica: ${locked} changes answer 423`, wrong.length === 0 && locked > 0, linesOf(wrong));
};

/** A server without some commands. The caller ends its process. */
const startRenamed = async (port: number) => {
  const args = RENAMED.flatMap((name) => ['--rename-command', name, '']);
  const server = spawn('redis-server', [
    '--port',
    String(port),
    '--save',
    '',
    '--bind',
    '127.0.0.1',
    ...args,
  ]);
  const client = new Redis(port, '127.0.0.1', { enableReadyCheck: false, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  await until('the server with renamed commands', () => client.ping().catch(() => null));
  return { server, client };
};

export const run = async (report: Report): Promise<void> => {
  const users = Object.entries(USERS).map(([id, rules]) => ({ id, name: id, rules }));
  const port = await freePort();
  const renamed = await startRenamed(port);
  const entry = { id: 'renamed', name: 'renamed', url: `redis://127.0.0.1:${port}` };
  try {
    await withConsole([{}, ...users, entry], async (own) => {
      const operations = await operationsOf(own);
      await seedAll(own);
      const known = new Set((await changesOf(own)).map(({ id }) => id));
      const unknown = operations.filter(({ id, method }) => method !== 'GET' && !known.has(id));
      const names = unknown.map(({ id }) => id).join(', ');
      report.check('every change of the document is in the table', unknown.length === 0, names);
      for (const user of Object.keys(USERS)) {
        await own.app.client.flushall();
        await seedAll(own);
        await drillConnection(own, user, operations, report);
      }
      await drillFigures(own, report);
      await own.app.client.flushall();
      await seedAll(own);
      await seedAll({ ...own, app: { ...own.app, client: renamed.client } });
      await drillConnection(own, 'renamed', operations, report);
      await drillFull(own, operations, report);
      await drillUndo(own, report);
      await drillReplica(own, operations, report);
    });
  } finally {
    renamed.client.disconnect();
    renamed.server.kill();
  }
};
