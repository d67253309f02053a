// Connections whose Redis user has limited permissions: each refusal must name the command or the keys.
import type { PrivateConsole } from '../testing/private-console';
import { get } from './api';
import { type Change, changesOf, MORE_READ_INPUT, READ_INPUT, seedAll } from './changes';
import { type Operation, type Outcome, operationsOf, perform } from './operations';
import { type Report, withConsole } from './report';

const ON_ALL = ['~*', '&*'];
const USERS: Record<string, string[]> = {
  'reads-only': [...ON_ALL, '+@read', '-@dangerous'],
  'sessions-only': ['~session:*', '&*', '+@all'],
  'no-scripts': [...ON_ALL, '+@all', '-@scripting'],
  'no-info': [...ON_ALL, '+@all', '-info'],
  'no-monitor': [...ON_ALL, '+@all', '-monitor', '-config'],
};

const readInput = ({ id, parameters }: Operation): Record<string, string> => {
  const asked = parameters.filter(({ name, required }) => required && name !== 'connection');
  const given = asked.map(({ name }) => [name, READ_INPUT[name] ?? 'x']);
  return { ...Object.fromEntries(given), ...MORE_READ_INPUT[id] };
};

/** All reads of the document and all changes of the table; lists those that have neither. */
const callsOf = (operations: readonly Operation[], changes: readonly Change[]) =>
  operations.flatMap((operation): [Operation, Record<string, unknown>][] => {
    if (operation.method === 'GET') return [[operation, readInput(operation)]];
    return changes.filter(({ id }) => id === operation.id).map(({ input }) => [operation, input]);
  });

const isBroken = ({ status }: Outcome): boolean => status === 0 || (status >= 500 && status !== 503);

/** A command (in capitals or quotes), or the keys. */
const A_NAME = /'[\w|]+'|\b(?!ACL|NOPERM|TTL)[A-Z_]{3,}\b|\b(this|these|such) keys?\b|key pattern|~/;

/** Jobs name it only in their text. */
const namesIt = ({ code, command, detail, job }: Outcome): boolean =>
  (job !== null || code === 'not_permitted') &&
  /permi|may not use|does not have the command/i.test(detail) &&
  (typeof command === 'string' || A_NAME.test(detail));

/** Refused by the server, not by the console because of the input. */
const isRefusal = ({ ok, status, job }: Outcome): boolean =>
  !ok && (job !== null || ![400, 404, 409, 412].includes(status));

/** Groups operations by their result. */
const lines = (outcomes: readonly Outcome[]): string => {
  const details = new Set(outcomes.map(({ detail }) => detail));
  const idsOf = (text: string) => outcomes.filter(({ detail }) => detail === text).map(({ id }) => id);
  return [...details].map((text) => `\n        "${text.slice(0, 200)}": ${idsOf(text).join(', ')}`).join('');
};

const drillUser = async (own: PrivateConsole, user: string, operations: Operation[], report: Report) => {
  await own.app.client.flushall();
  await seedAll(own);
  const outcomes: Outcome[] = [];
  for (const [operation, input] of callsOf(operations, await changesOf(own)))
    outcomes.push(await perform(own, operation, user, input));
  const broken = outcomes.filter(isBroken);
  const refused = outcomes.filter(isRefusal).filter((outcome) => !isBroken(outcome));
  const unnamed = refused.filter((outcome) => !namesIt(outcome));
  report.say(`${user}: ${outcomes.length} calls, ${outcomes.filter(({ ok }) => ok).length} answered`);
  report.check(`${user}: no 5xx but 503`, broken.length === 0, `${broken.length}${lines(broken)}`);
  report.check(
    `${user}: each refusal names the command or the keys`,
    unnamed.length === 0,
    `${unnamed.length} of ${refused.length} do not${lines(unnamed)}`,
  );
};

/** A user without INFO gets no figures, but that is not an outage. */
const drillFigures = async (own: PrivateConsole, report: Report): Promise<void> => {
  const path = '/api/v1/connections/no-info';
  const { from, to } = READ_INPUT;
  const overview = await get(own, `${path}/overview`);
  const series = await get(own, `${path}/metrics/series?from=${from}&to=${to}&stepSeconds=10`);
  const list = await get<{ items: { id: string }[] }>(own, '/api/v1/connections');
  const connection = list.body.items.find(({ id }) => id === 'no-info');
  const text = JSON.stringify([connection, series.body, overview.body]);
  const held = text.includes('figures-not-permitted') && !/unreachable|outage/i.test(text);
  report.check('no-info: figures are "not permitted", not "unreachable"', held, text.slice(0, 700));
};

export const run = (report: Report): Promise<void> => {
  const users = Object.entries(USERS).map(([id, rules]) => ({ id, name: id, rules }));
  return withConsole([{}, ...users], async (own) => {
    const operations = await operationsOf(own);
    await seedAll(own);
    const known = new Set((await changesOf(own)).map(({ id }) => id));
    const unknown = operations.filter(({ id, method }) => method !== 'GET' && !known.has(id));
    const names = unknown.map(({ id }) => id).join(', ');
    report.check('every change of the document is in the table', unknown.length === 0, names);
    for (const user of Object.keys(USERS)) await drillUser(own, user, operations, report);
    await drillFigures(own, report);
  });
};
