import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { registerDomains } from '@/lib/domains/all';
import { closeQueue } from '@/lib/jobs/queue';
import { seededRandom } from '@/scripts/demo-traffic/random';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { type HostileRequest, hostileRequests } from '@/scripts/testing/hostile';
import { PLANTED_PART } from '@/scripts/testing/hostile-values';
import { ask, configureInterface, operations, ROOT, ROOT_TOKEN, User } from '@/scripts/testing/interface';
import { minimalInput } from '@/scripts/testing/minimal-input';
import { seedSession } from '@/scripts/testing/sessions';

/** Another seed makes other requests; a failure prints its seed. */
const SEED = Number(process.env.HOSTILE_SEED ?? 20_260_101);
const COUNT = Number(process.env.HOSTILE_COUNT ?? 4);
/** How long to listen to a silent stream. */
const LISTEN_MS = 20;

let test: TestContext;
let user: User;
const cursors: string[] = [];
const printed: string[] = [];

beforeAll(async () => {
  configureInterface();
  test = await testContext();
  registerDomains();
  vi.spyOn(console, 'error').mockImplementation((...parts: unknown[]) => void printed.push(parts.join(' ')));
  user = await somebody();
  await seed();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await closeQueue();
  await test.close();
});

let people = 0;
const somebody = (): Promise<User> => User.signedIn(`admin-${++people}@example.org`, 'admin');

/** Stores some data of every kind, and collects a cursor of every kind of list. */
const seed = async (): Promise<void> => {
  const { redis } = test;
  for (let i = 0; i < 5; i++) await seedSession(redis, { userId: String(i) });
  for (const name of ['FEATURE_NONE', 'FEATURE_A', 'NONE', 'B']) await redis.set(`env_vars:${name}`, 'true');
  await redis.sadd('BlacklistIPsSet', '192.0.2.1', '192.0.2.2', '\xff');
  await redis.sadd('DisabledProjectsSet', '0123456789abcdef01234567', 'x');
  await redis.hset('rate_limits', { '0123456789abcdef01234567': '1:5', x: '2:5' });
  await redis.set(`author:id:${'a'.repeat(5000)}`, 'x');
  for (const { contract } of operations) {
    if (contract.method !== 'GET' || contract.stream) continue;
    const response = await ask(contract.id, { ...minimalInput(contract), limit: '1' }, ROOT);
    const { nextCursor } = JSON.parse((await response.text()).replace(/^[^{].*/s, '{}')) as Record<
      string,
      unknown
    >;
    if (typeof nextCursor === 'string') cursors.push(nextCursor);
  }
};

/** The text of an answer; for a stream, its beginning. */
const textOf = async (response: Response): Promise<string> => {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body!.getReader();
  const over = sleep(LISTEN_MS, null);
  let text = '';
  while (!/^event: /m.test(text)) {
    const chunk = await Promise.race([reader.read(), over]);
    if (!chunk || chunk.done) break;
    text += Buffer.from(chunk.value).toString();
  }
  await reader.cancel();
  return text;
};

/** OFREP requires the flag's key in failures too, so repeating the key of the request is not a fault. */
const withoutOwnKey = (text: string): string => text.replace(/^\{"key":"(?:[^"\\]|\\.)*"/, '{');

/** What is wrong with an answer; null when nothing is. */
const faultOf = async ({ status, headers }: Response, text: string): Promise<string | null> => {
  if (status >= 500 || /^event: error\ndata: .*"status":5/m.test(text)) return 'broke';
  if (status < 400) return null;
  if (withoutOwnKey(text).includes(PLANTED_PART) || text.includes(ROOT_TOKEN))
    return 'repeats what looks like a secret';
  const isProblem = headers.get('content-type') === 'application/problem+json';
  const { requestId, code } = isProblem ? (JSON.parse(text) as Record<string, unknown>) : {};
  if (!requestId || requestId !== headers.get('x-request-id')) return 'is no problem document';
  return status === 401 || code === 'forbidden' ? 'is about credentials' : null;
};

const byName = operations.toSorted((a, b) => (a.contract.id < b.contract.id ? -1 : 1));

describe('an unknown field', () => {
  const closed = byName.filter(({ contract }) => contract.permission !== 'public');

  it.each(closed)('is refused by name of $contract.id', async ({ contract }) => {
    const headers = contract.id.startsWith('account.') ? user.headers : ROOT;
    const response = await ask(contract.id, { ...minimalInput(contract), nonsense: '1' }, headers);
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as { errors: { path: string }[] };
    expect(errors.map(({ path }) => path)).toContain('nonsense');
  });
});

describe(`hostile input, seed ${SEED}`, () => {
  it.each(byName)('$contract.id refuses or takes, and never breaks', async ({ contract, handler }) => {
    const random = seededRandom(
      SEED + [...contract.id].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7),
    );
    const minimal = minimalInput(contract);
    const faults: string[] = [];
    const attack = async ({ what, request, params }: HostileRequest): Promise<void> => {
      printed.length = 0;
      const credentials = contract.id.startsWith('account.') ? user.headers : ROOT;
      for (const [name, value] of Object.entries(credentials)) request.headers.append(name, value);
      const response = await handler(request, { params: Promise.resolve(params) });
      const text = await textOf(response).catch(
        (error: unknown) => `event: error\ndata: "status":500 ${error}`,
      );
      if (contract.id === 'account.signOutEverywhere' && response.ok) user = await somebody();
      const fault = await faultOf(response, text);
      if (fault)
        faults.push(`${fault}: ${what} → ${response.status} ${text.slice(0, 300)} ${printed.join('; ')}`);
      if (printed.join().includes(PLANTED_PART)) faults.push(`prints what looks like a secret: ${what}`);
    };
    for (const hostile of hostileRequests({ contract, minimal, cursors, count: COUNT, random }))
      await attack(hostile);
    expect(faults).toEqual([]);
  });
});
