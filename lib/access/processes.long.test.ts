import { type ChildProcess, spawn } from 'node:child_process';
import { encode } from 'next-auth/jwt';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { store } from '@/lib/redis/store';
import { bundle } from '@/scripts/build.mjs';
import { type Sentinels, startSentinels } from '@/scripts/sentinels.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { storeBehindSentinels } from '@/scripts/testing/store-behind-sentinels';
import { endSession, startSession } from './session-records';
import { createUser, type StoredUser, updateUser } from './users';

const SECRET = 'a-secret-for-tests-only';
const PROCESSES = 3;
/** On a busy machine. */
const STARTED_MS = 30_000;
/** How soon every process must know. */
const WITHIN_MS = 2000;

let test: TestContext;
let watched: Sentinels | null = null;
let children: ChildProcess[] = [];
beforeAll(async () => {
  process.env.NEXTAUTH_SECRET = SECRET;
  test = await testContext();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await test.close();
  await watched?.stop();
});

const created = async (email: string): Promise<StoredUser> => {
  const user = { email, name: 'Ann', role: 'support' as const, passwordHash: '' };
  const made = await createUser(store(), user, { now: Date.now() });
  return made.ok ? made.user : expect.fail(made.reason);
};

/** Signs in, and starts processes that read the cookie. `heard` has what each of them reported last. */
const signIn = async (user: StoredUser) => {
  const begun = await startSession(store(), user, Date.now());
  const token = await encode({ token: { ...begun }, secret: SECRET, maxAge: 3600 });
  const { file } = await bundle('scripts/testing/session-reader.ts');
  const reported = Array.from({ length: PROCESSES }, () => ['']);
  children = reported.map((lines) => {
    const args = [file, `next-auth.session-token=${token}`];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: process.env });
    child.stdout!.on('data', (data: Buffer) => lines.push(...data.toString().trim().split('\n')));
    return child;
  });
  return { session: begun.session, heard: () => reported.map((lines) => lines.at(-1)) };
};

const all = (word: string) => Array(PROCESSES).fill(word);

describe.each(['one server', 'behind Sentinels'])('with the store on %s', (kind) => {
  beforeAll(async () => {
    if (kind === 'one server') return;
    watched = await startSentinels({ replicas: 2 });
    storeBehindSentinels(watched);
  });

  it('a session that ends in one process ends in all', async () => {
    const { session, heard } = await signIn(await created('ann@example.org'));
    await expect.poll(heard, { timeout: STARTED_MS }).toEqual(all('support'));
    // Also right after a failover.
    await watched?.failover();
    await expect.poll(() => endSession(store(), session), { timeout: 5000 }).toBe(true);
    await expect.poll(heard, { timeout: WITHIN_MS }).toEqual(all('nobody'));
  }, 60_000);

  it('a role that changes in one process changes in all, and so does a user who is disabled', async () => {
    const user = await created('ben@example.org');
    const { heard } = await signIn(user);
    await expect.poll(heard, { timeout: STARTED_MS }).toEqual(all('support'));
    await updateUser(store(), user.id, { role: 'viewer' });
    await expect.poll(heard, { timeout: WITHIN_MS }).toEqual(all('viewer'));
    await updateUser(store(), user.id, { disabled: true });
    await expect.poll(heard, { timeout: WITHIN_MS }).toEqual(all('nobody'));
  }, 60_000);
});
