// Three consoles on one store: 50 users make changes while one console, or the primary of the store, is killed.
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { AuditEntry } from '@/lib/audit/schema';
import type { Flag } from '@/lib/flags/schema';
import { type Sentinels, startSentinels } from '../sentinels.mjs';
import type { OneConsole, PrivateConsole } from '../testing/private-console';
import { seedSession } from '../testing/sessions';
import { quantile } from '../testing/steady-load';
import { storeVariables } from '../testing/store-behind-sentinels';
import { type Answer, get, MAIN, post, summaryOfAnswer, until } from './api';
import { type Report, withConsole } from './report';
import { type Caller, signIn, signOut } from './sign-in';

const SECONDS = Number(process.env.KEYWARD_DRILL_SECONDS ?? 60);
const PEOPLE = 50;
const FLAGS = 8;
const USERS = 600;
const SESSIONS_OF_USER = 2;
/** The probability that two users revoke the same user at the same time, on different consoles. */
const TWICE = 0.3;
const MAX_PAUSE_MS = 250;
const SIGN_OUT_MS = 2000;
const PASSWORD = 'a password of the drill';
const PREFIX = 'env_vars:';

const nameOf = (n: number): string => `FEATURE_DRILL_${n}`;

interface Result {
  status: number;
  auditId: string | null;
  tookMs: number;
}

/** The requested changes and their results. */
interface Account {
  toggles: Result[];
  revocations: (Result & { user: number; revoked: number })[];
  refusals: Map<string, number>;
}

interface Scene {
  report: Report;
  own: PrivateConsole;
  consoles: OneConsole[];
  people: Caller[];
  account: Account;
}

const send = async <T>(
  { baseUrl }: OneConsole,
  { cookie }: Caller,
  path: string,
  [method, input]: readonly [string, object?] = ['GET'],
): Promise<Answer<T>> => {
  const headers = { cookie, origin: baseUrl, 'content-type': 'application/json' };
  try {
    const body = input && { body: JSON.stringify(input) };
    const answer = await fetch(baseUrl + path, { method, headers, ...body });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return { status: 0, body: {} as never };
  }
};

const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)]!;

const timed = async <T>(work: Promise<Answer<T>>): Promise<{ answer: Answer<T>; tookMs: number }> => {
  const since = performance.now();
  const answer = await work;
  return { answer, tookMs: performance.now() - since };
};

const count = ({ refusals }: Account, { status, body }: Answer<object>): void => {
  if (status === 200) return;
  const refusal = status === 0 ? 'no answer' : `${status} ${body.code}`;
  refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
};

type Changed = { auditId: string; etag: string; enabled: boolean };

/** Switches a flag that others also switch, based on its last read state. */
const toggle = async (
  { consoles, account }: Scene,
  caller: Caller,
  seen: Map<string, Flag>,
): Promise<void> => {
  const on = pick(consoles);
  const name = nameOf(Math.floor(Math.random() * FLAGS));
  if (!seen.has(name)) {
    const { status, body } = await send<{ items: Flag[] }>(on, caller, `${MAIN}/flags?limit=100`);
    if (status !== 200) return;
    for (const flag of body.items) seen.set(flag.name, flag);
  }
  const { etag, enabled } = seen.get(name)!;
  const input = { enabled: !enabled, etag, reason: 'drill' };
  const { answer, tookMs } = await timed(
    send<Changed>(on, caller, `${MAIN}/flags/${name}`, ['PUT', input] as const),
  );
  count(account, answer);
  account.toggles.push({ status: answer.status, auditId: answer.body.auditId ?? null, tookMs });
  if (answer.status === 200) seen.set(name, { ...seen.get(name)!, ...answer.body });
  else seen.clear();
};

type Revoked = { auditId: string; revoked: number };

const revoke = async ({ consoles, account }: Scene, caller: Caller, user: number): Promise<void> => {
  const on = Math.random() < TWICE ? consoles : [pick(consoles)];
  await Promise.all(
    on.map(async (target) => {
      const input = { userId: String(user), reason: 'drill' };
      const { answer, tookMs } = await timed(
        send<Revoked>(target, caller, `${MAIN}/sessions/revoke`, ['POST', input] as const),
      );
      count(account, answer);
      const { status, body } = answer;
      account.revocations.push({
        status,
        auditId: body.auditId ?? null,
        tookMs,
        user,
        revoked: body.revoked ?? 0,
      });
    }),
  );
};

/** All users work until the time is over. */
const work = async (scene: Scene): Promise<void> => {
  const until = Date.now() + SECONDS * 1000;
  let nextUser = 0;
  await Promise.all(
    scene.people.map(async (caller) => {
      const seen = new Map<string, Flag>();
      while (Date.now() < until) {
        if (Math.random() < 0.75 || nextUser >= USERS) await toggle(scene, caller, seen);
        else await revoke(scene, caller, nextUser++);
        await delay(Math.random() * MAX_PAUSE_MS);
      }
    }),
  );
};

interface Written {
  /** The values set for each flag, in order. */
  values: Map<string, string[]>;
  stop: () => void;
}

/** Observes the writes to flags by the server's own MONITOR. */
const watchFlags = async (redis: Redis): Promise<Written> => {
  const monitor = await redis.monitor();
  const values = new Map<string, string[]>();
  monitor.on('monitor', (_time: string, [command, key = '', value = '']: string[]) => {
    if (!/^set$/i.test(command ?? '') || !key.startsWith(PREFIX)) return;
    const name = key.slice(PREFIX.length);
    values.set(name, [...(values.get(name) ?? []), value]);
  });
  return { values, stop: () => monitor.disconnect() };
};

/** All entries of an action, from a running console. */
const entriesOf = async ({ consoles, own }: Scene, action: string): Promise<AuditEntry[]> => {
  const { apiToken } = own;
  const entries: AuditEntry[] = [];
  for (let cursor = ''; ; ) {
    const path = `/api/v1/audit?action=${action}&limit=500${cursor && `&cursor=${cursor}`}`;
    const page = await get<{ items: AuditEntry[]; nextCursor: string | null }>(
      { ...consoles[0]!, apiToken },
      path,
    );
    if (page.status !== 200) throw new Error(summaryOfAnswer(page));
    entries.push(...page.body.items);
    if (!page.body.nextCursor) return entries;
    cursor = encodeURIComponent(page.body.nextCursor);
  }
};

const withOutcome = (entries: readonly AuditEntry[], outcome: AuditEntry['outcome']): AuditEntry[] =>
  entries.filter((entry) => entry.outcome === outcome);

/** Each accepted change has its record, and no record of a success belongs to a refused change. */
const checkRecorded = (
  { report }: Scene,
  what: string,
  results: readonly Result[],
  entries: readonly AuditEntry[],
): void => {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const accepted = results.filter(({ status }) => status === 200);
  const lost = results.filter(({ status }) => status === 0 || status >= 500).length;
  const succeeded = withOutcome(entries, 'succeeded').length;
  const pending = withOutcome(entries, 'pending').length;
  const unrecorded = accepted.filter(
    ({ auditId }) => byId.get(auditId ?? '')?.outcome !== 'succeeded',
  ).length;
  const times = accepted.map(({ tookMs }) => tookMs);
  report.check(
    `${what}: each accepted one is recorded as done`,
    unrecorded === 0 && new Set(accepted.map(({ auditId }) => auditId)).size === accepted.length,
    `${accepted.length} accepted, ${unrecorded} not recorded; p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms`,
  );
  report.check(
    `${what}: recorded as done or as unknown is only what was accepted or had no answer`,
    succeeded + pending - accepted.length <= lost && succeeded >= accepted.length,
    `${succeeded} done, ${pending} unknown, ${withOutcome(entries, 'failed').length} failed; ${accepted.length} accepted, ${lost} without an answer`,
  );
};

const checkFlags = async (scene: Scene, written: Written, entries: readonly AuditEntry[]): Promise<void> => {
  const { report, own } = scene;
  const faults: string[] = [];
  let sets = 0;
  for (let n = 0; n < FLAGS; n++) {
    const name = nameOf(n);
    const values = written.values.get(name) ?? [];
    sets += values.length;
    const twice = values.filter((value, i) => value === (i === 0 ? 'false' : values[i - 1])).length;
    const present = await own.app.client.get(PREFIX + name);
    const ofFlag = entries.filter(({ target }) => target === name);
    const done = withOutcome(ofFlag, 'succeeded').length;
    const unknown = withOutcome(ofFlag, 'pending').length;
    if (twice > 0) faults.push(`${name}: ${twice} times given the value it had`);
    if (present !== (values.at(-1) ?? 'false'))
      faults.push(`${name}: is ${present}, was given ${values.at(-1)}`);
    if (values.length < done || values.length > done + unknown)
      faults.push(`${name}: changed ${values.length} times, recorded ${done} and ${unknown} unknown`);
  }
  report.check(
    'flags: changed as often as recorded, none twice',
    faults.length === 0,
    [`${sets} changes`, ...faults].join('; '),
  );
};

/** The target in the audit log. */
const targetOf = (user: number): string => `user ${user} (all sessions)`;

const numberIn = (value: unknown, field: string): number =>
  Number((value as Record<string, unknown> | null)?.[field] ?? 0);

const checkSessions = async (
  { report, own, account }: Scene,
  entries: readonly AuditEntry[],
): Promise<void> => {
  const faults: string[] = [];
  let ended = 0;
  const asked = new Set(account.revocations.map(({ user }) => user));
  for (const user of asked) {
    const left = await own.app.client.scard(`user_sessions:${user}`);
    const gone = SESSIONS_OF_USER - left;
    ended += gone;
    const answers = account.revocations.filter((revocation) => revocation.user === user);
    const ofUser = entries.filter(({ target }) => target === targetOf(user));
    const recorded = withOutcome(ofUser, 'succeeded').reduce(
      (sum, { after }) => sum + numberIn(after, 'revoked'),
      0,
    );
    const unknown = withOutcome(ofUser, 'pending').length;
    const answered = answers.reduce((sum, { revoked }) => sum + revoked, 0);
    if (recorded > gone || answered > recorded || (unknown === 0 && recorded !== gone))
      faults.push(
        `user ${user}: ${gone} gone, recorded ${recorded} and ${unknown} unknown, answered ${answered}`,
      );
    if (answers.some(({ status }) => status === 200) && left > 0) faults.push(`user ${user}: ${left} left`);
  }
  const others = await own.app.client.scard(`user_sessions:${USERS}`);
  if (others !== SESSIONS_OF_USER) faults.push('a user nobody asked for lost sessions');
  report.check(
    'sessions: as many ended as recorded, none twice',
    faults.length === 0,
    [`${ended} of ${asked.size} users`, ...faults.slice(0, 5)].join('; '),
  );
};

const checkChain = async ({ report, own, consoles }: Scene): Promise<void> => {
  const { apiToken } = own;
  for (const [i, server] of consoles.entries()) {
    const verdict = await post<{ ok: boolean; entries: number; problem: string | null }>(
      { ...server, apiToken },
      '/api/v1/audit/verify',
    );
    report.check(
      `audit log: whole, as console ${i + 1} verifies it`,
      verdict.body.ok === true,
      JSON.stringify(verdict.body),
    );
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/audit-verify.mjs'], {
    env: own.environment,
    encoding: 'utf8',
  });
  report.check('audit log: whole by npm run audit:verify', status === 0, (stdout + stderr).trim());
  const state = await get<{ alarm: object | null }>({ ...consoles[0]!, apiToken }, '/api/v1/audit/status');
  report.check('audit log: no alarm', state.body.alarm === null, JSON.stringify(state.body.alarm));
};

/** Opens a stream; `ended` resolves with the time of its end. */
const openStream = async (
  { baseUrl }: OneConsole,
  { cookie }: Caller,
): Promise<{ ended: Promise<number> }> => {
  const answer = await fetch(`${baseUrl}${MAIN}/history/stream`, { headers: { cookie } });
  if (answer.status !== 200) throw new Error(`a stream: ${answer.status}`);
  const reader = answer.body!.getReader();
  const read = async (): Promise<number> => {
    while (!(await reader.read().catch(() => ({ done: true }))).done);
    return performance.now();
  };
  return { ended: read() };
};

/** The time until a console refuses a caller. */
const refusedAt = async (on: OneConsole, caller: Caller): Promise<number> => {
  await until(
    'a refusal',
    async () => ((await send(on, caller, '/api/v1/account')).status === 401 ? true : null),
    10_000,
  );
  return performance.now();
};

const checkSignOut = async (scene: Scene, when: string): Promise<void> => {
  const { report, consoles } = scene;
  const caller = await signIn(consoles[0]!.baseUrl, { email: 'leaver@keyward.example', password: PASSWORD });
  for (const oneConsole of consoles)
    await until('a sign-in', async () =>
      (await send(oneConsole, caller, '/api/v1/account')).status === 200 ? true : null,
    );
  const streams = await Promise.all(consoles.map((target) => openStream(target, caller)));
  const since = performance.now();
  await signOut(consoles[0]!.baseUrl, caller);
  const requests = await Promise.all(consoles.map((target) => refusedAt(target, caller)));
  const ends = await Promise.all(streams.map(({ ended }) => ended));
  const after = (times: readonly number[]) => Math.max(...times) - since;
  report.check(
    `signed out on one, out on all within 2 s, ${when}`,
    after(requests) <= SIGN_OUT_MS && after(ends) <= SIGN_OUT_MS,
    `requests refused after ${after(requests).toFixed(0)} ms, streams ended after ${after(ends).toFixed(0)} ms`,
  );
};

const admin = (n: number) => ({ email: `admin-${n}@keyward.example`, name: `Admin ${n}`, role: 'admin' });

const seed = async ({ app }: PrivateConsole): Promise<void> => {
  for (let n = 0; n < FLAGS; n++) await app.client.set(PREFIX + nameOf(n), 'false');
  const users = Array.from({ length: USERS + 1 }, (_, user) => user);
  await Promise.all(
    users.flatMap((user) =>
      Array.from({ length: SESSIONS_OF_USER }, () => seedSession(app.client, { userId: String(user) })),
    ),
  );
};

const makePeople = async ({ own, consoles, people }: Scene): Promise<void> => {
  const leaver = { email: 'leaver@keyward.example', name: 'Leaver', role: 'viewer' };
  for (const user of [leaver, ...Array.from({ length: PEOPLE }, (_, n) => admin(n))]) {
    const made = await post(own, '/api/v1/users', { ...user, password: PASSWORD });
    if (made.status !== 201) throw new Error(`a user: ${summaryOfAnswer(made)}`);
    if (user === leaver) continue;
    people.push(await signIn(pick(consoles).baseUrl, { email: user.email, password: PASSWORD }));
  }
};

const drill = async (
  report: Report,
  own: PrivateConsole,
  disturb: (scene: Scene) => Promise<void>,
): Promise<void> => {
  const consoles: OneConsole[] = [own, await own.beside(), await own.beside()];
  const account: Account = { toggles: [], revocations: [], refusals: new Map() };
  const scene: Scene = { report, own, consoles, people: [], account };
  await seed(own);
  await makePeople(scene);
  await checkSignOut(scene, 'before');
  const written = await watchFlags(own.app.client);
  const disturbed = delay((SECONDS * 1000) / 3).then(() => disturb(scene));
  await Promise.all([work(scene), disturbed]);
  const isSettled = async () =>
    (
      await Promise.all(consoles.map((target) => get({ ...target, apiToken: own.apiToken }, '/api/ready')))
    ).every(({ status }) => status === 200);
  await until('three consoles', async () => ((await isSettled()) ? true : null));
  report.say(
    `${PEOPLE} people, ${SECONDS} s: ${account.toggles.length} toggles and ${account.revocations.length} revocations; ` +
      [...account.refusals].map(([what, times]) => `${times} × ${what}`).join(', '),
  );
  await delay(3000);
  written.stop();
  const [toggles, revocations] = [
    await entriesOf(scene, 'flags.set'),
    await entriesOf(scene, 'sessions.revoke'),
  ];
  checkRecorded(scene, 'toggles', account.toggles, toggles);
  checkRecorded(scene, 'revocations', account.revocations, revocations);
  await checkFlags(scene, written, toggles);
  await checkSessions(scene, revocations);
  await checkSignOut(scene, 'after');
  await checkChain(scene);
};

/** Kills one console, and starts it again after the others have worked without it. */
const killOne = async ({ consoles, report }: Scene): Promise<void> => {
  const killed = consoles[1]!;
  await killed.kill();
  report.say('kill -9 of a console');
  await delay((SECONDS * 1000) / 3);
  await killed.start();
};

const killPrimary = async (watched: Sentinels, { report }: Scene): Promise<void> => {
  const old = (await watched.primary())!;
  const since = performance.now();
  old.process.kill('SIGKILL');
  await watched.untilPrimaryIsNot(old);
  report.say(`kill -9 of the store's primary; another one after ${Math.round(performance.now() - since)} ms`);
};

export const run = async (report: Report): Promise<void> => {
  report.say('Three consoles on one store');
  await withConsole([], (own) => drill(report, own, killOne));
  report.say('Three consoles on a store behind Sentinel');
  const watched = await startSentinels({ replicas: 2, args: ['--appendonly', 'yes'] });
  try {
    await withConsole(
      [],
      (own) => drill(report, own, (scene) => killPrimary(watched, scene)),
      storeVariables(watched),
    );
  } finally {
    await watched.stop();
  }
};
