import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registerDomains } from '@/lib/domains/all';
import { closeQueue } from '@/lib/jobs/queue';
import { startRunner } from '@/lib/jobs/runner';
import type { Job } from '@/lib/jobs/schema';
import { store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { ask, bearer, configureInterface, ROOT, succeed, User } from '@/scripts/testing/interface';
import { executeDue } from '@/scripts/testing/scheduled';

let test: TestContext;

beforeAll(async () => {
  configureInterface();
  test = await testContext();
  registerDomains();
});
beforeEach(async () => {
  await test.empty();
  // The last admin cannot be disabled.
  await admin();
});
afterAll(async () => {
  await closeQueue();
  await test.close();
});

type Headers = Record<string, string>;

/** A user who may do everything now, and how they lose their access or become a viewer. */
interface Leaver {
  headers: Headers;
  leave(): Promise<unknown>;
}

let people = 0;
const admin = (): Promise<User> => User.signedIn(`admin-${++people}@example.org`, 'admin');

const byCookie = async (leave: (user: User) => Promise<unknown>): Promise<Leaver> => {
  const user = await admin();
  return { headers: user.headers, leave: () => leave(user) };
};
const byToken = async (leave: (user: User) => Promise<unknown>): Promise<Leaver> => {
  const user = await admin();
  return { headers: bearer(await user.token('admin')), leave: () => leave(user) };
};
const disable = ({ id }: User) => succeed('users.update', { id, disabled: true });
const demote = ({ id }: User) => succeed('users.update', { id, role: 'viewer' });
const revokeTokens = async (): Promise<void> => {
  const { items } = await succeed<{ items: { id: string }[] }>('tokens.api.list', {});
  for (const { id } of items) await succeed('tokens.api.revoke', { id });
};

/** Everyone whose access ends. */
const LEAVERS: { who: string; make(): Promise<Leaver> }[] = [
  { who: 'a user who is disabled', make: () => byCookie(disable) },
  { who: 'a user who is made a viewer', make: () => byCookie(demote) },
  { who: 'a token that is revoked', make: () => byToken(revokeTokens) },
  { who: 'a token whose owner is disabled', make: () => byToken(disable) },
  { who: 'a token whose owner is made a viewer', make: () => byToken(demote) },
];

const HOUR = 3_600_000;
const AUTHORS = 'discours.author-id';
const TOPICS = 'discours.topic-id';

const seed = async (): Promise<void> => {
  const pipeline = test.redis.pipeline();
  for (let i = 0; i < 20; i++) pipeline.set(`author:id:${i}`, 'x').set(`topic:id:${i}`, 'x');
  for (let i = 0; i < 501; i++) {
    pipeline.hset(`session:7:token-${i}-of-a-session`, { user_id: '7', username: 'bob' });
    pipeline.sadd('user_sessions:7', `token-${i}-of-a-session`, 'a-stale-entry');
  }
  await pipeline.set('env_vars:FEATURE_LATER', 'true').exec();
};

/** What long work could have changed: names, TTLs, and the flag. */
const keyspace = async (): Promise<string[]> => {
  const keys = (await test.redis.keys('*')).sort();
  const pipeline = test.redis.pipeline();
  for (const key of keys) pipeline.pttl(key);
  const ttls = (await pipeline.exec()) ?? [];
  const flag = await test.redis.get('env_vars:FEATURE_LATER');
  const index = await test.redis.scard('user_sessions:7');
  return [...keys.map((key, i) => `${key} ${Number(ttls[i]![1]) < 0}`), `${flag} ${index}`];
};

/** Requests long work of every kind, and a scheduled change. */
const begin = async (headers: Headers): Promise<{ jobs: string[]; plan: string }> => {
  const asked = [
    await succeed('families.invalidate', { family: AUTHORS }, headers),
    await succeed('families.setTtl', { family: TOPICS, ttlSeconds: 300 }, headers),
    await succeed('hitRates.sample', { seconds: 0.1, present: '' }, headers),
    await succeed('sessions.revoke', { userId: '7' }, headers),
    await succeed('sessions.repair', { kinds: ['staleIndex'] }, headers),
  ];
  const { items } = await succeed<{ items: { etag: string }[] }>('flags.list', {});
  const at = new Date(Date.now() + HOUR).toISOString();
  const wanted = { name: 'FEATURE_LATER', enabled: false, at, etag: items[0]!.etag };
  const { planned } = await succeed<{ planned: { id: string } }>('flags.schedule', wanted, headers);
  return { jobs: asked.map(({ jobId }) => String(jobId)), plan: planned.id };
};

/** Runs these jobs like a console, and returns them once they have ended. */
const runAll = async (jobs: readonly string[]): Promise<Job[]> => {
  const runner = startRunner(store());
  try {
    return await Promise.all(
      jobs.map(async (jobId) => {
        for (;;) {
          const job = await succeed<Job>('jobs.get', { jobId });
          if (job.finishedAt !== null) return job;
          await sleep(10);
        }
      }),
    );
  } finally {
    await runner.close();
  }
};

const linesOf = (jobs: readonly Job[]): string[] => jobs.map(({ action, state }) => `${action} ${state}`);

describe('what was asked for and is done later', () => {
  it('is done for somebody who may still do it', async () => {
    await seed();
    const before = await keyspace();
    const user = await admin();
    const { jobs } = await begin(user.headers);
    expect(linesOf(await runAll(jobs)).filter((line) => !line.endsWith(' done'))).toEqual([]);
    expect(await executeDue(store(), Date.now() + 2 * HOUR)).toBe(1);
    expect(await test.redis.get('env_vars:FEATURE_LATER')).toBe('false');
    const left = new Set(await keyspace());
    for (const of of ['author:id:1', 'topic:id:1', 'session:7:token-1-'])
      expect(before.filter((line) => line.startsWith(of) && left.has(line))).toEqual([]);
  });

  it.each(LEAVERS)('is not done for $who', async ({ make }) => {
    await seed();
    const before = await keyspace();
    const leaver = await make();
    const { jobs, plan } = await begin(leaver.headers);
    await leaver.leave();
    expect(linesOf(await runAll(jobs)).filter((line) => line.endsWith(' done'))).toEqual([]);
    await executeDue(store(), Date.now() + 2 * HOUR);
    expect(await keyspace()).toEqual(before);
    const { items } = await succeed<{ items: { schedule: { id: string; state: string }[] }[] }>(
      'flags.list',
      {},
    );
    expect(items[0]!.schedule).toMatchObject([{ id: plan, state: 'suspended' }]);
  });
});

/** An open stream is checked every two seconds; on a busy machine somewhat later. */
const STREAM_ENDS_WITHIN_MS = 8000;

/** Whether a stream ended by itself in time; its data is read meanwhile. */
const endsByItself = async (response: Response): Promise<boolean> => {
  const reader = response.body!.getReader();
  const late = sleep(STREAM_ENDS_WITHIN_MS, null);
  for (;;) {
    const chunk = await Promise.race([reader.read(), late]);
    if (!chunk) void reader.cancel().catch(() => undefined);
    if (!chunk || chunk.done) return chunk !== null;
  }
};

describe('an open stream', () => {
  it('ends with the permission, the session or the token that it was opened with', async () => {
    const ways = [...LEAVERS, { who: 'a user who signs out', make: () => byCookie((who) => who.signOut()) }];
    const { jobId } = await succeed('families.invalidate', { family: AUTHORS }, ROOT);
    const open = [];
    for (const { who, make } of ways) {
      const { headers, leave } = await make();
      for (const [id, input] of [
        ['history.stream', {}],
        ['jobs.stream', { jobId }],
      ] as const)
        open.push({ what: `${id} of ${who}`, response: await ask(id, input, headers) });
      await leave();
    }
    expect(open.map(({ response }) => response.status)).toEqual(open.map(() => 200));
    const ended = await Promise.all(open.map(({ response }) => endsByItself(response)));
    expect(open.flatMap(({ what }, i) => (ended[i] ? [] : [what]))).toEqual([]);
  });
});
