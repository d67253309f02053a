import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiToken } from '@/lib/access/api-tokens';
import { registerDomains } from '@/lib/domains/all';
import { store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import {
  ask,
  bearer,
  configureInterface,
  firstEvent,
  operations,
  succeed,
  User,
} from '@/scripts/testing/interface';
import { minimalInput } from '@/scripts/testing/minimal-input';
import { type Access, type Column, ROWS, ROWS_OF_SOMETHING, type Row } from './access-table';

let test: TestContext;
let admin: User;

beforeAll(async () => {
  configureInterface();
  test = await testContext();
  registerDomains();
  admin = await User.signedIn('admin@example.org', 'admin');
});
afterAll(() => test.close());

type Headers = Record<string, string>;
let people = 0;
const somebody = (role: string): Promise<User> => User.signedIn(`${role}-${++people}@example.org`, role);

/** A caller with its credentials, and the column of the table that applies to it. */
interface Caller {
  who: string;
  as: Column;
  by: 'nothing' | 'token' | 'cookie';
  /** Changes are refused as coming from another origin. */
  fromElsewhere?: true;
  headers: () => Promise<Headers> | Headers;
}

const USERS = ['admin', 'support', 'product', 'viewer'] as const;
const FOREIGN = 'https://evil.example';

const ofEachRole: Caller[] = USERS.flatMap((as): Caller[] => [
  { who: `${as} by cookie`, as, by: 'cookie', headers: async () => (await somebody(as)).headers },
  { who: `${as} by token`, as, by: 'token', headers: async () => bearer(await admin.token(as)) },
]);

const nobodies: Caller[] = [
  { who: 'nobody', as: 'nobody', by: 'nothing', headers: () => ({}) },
  { who: 'a token that never was', as: 'nobody', by: 'token', headers: () => bearer(`kw_${'x'.repeat(43)}`) },
  { who: 'an empty Bearer', as: 'nobody', by: 'token', headers: () => ({ authorization: 'Bearer' }) },
  {
    who: 'a bad token beside a good cookie',
    as: 'nobody',
    by: 'token',
    headers: () => ({ ...admin.headers, ...bearer('kw_bad') }),
  },
  {
    who: 'a revoked token',
    as: 'nobody',
    by: 'token',
    headers: async () => {
      const { token, apiToken } = await succeed<{ token: string; apiToken: { id: string } }>(
        'tokens.api.create',
        { name: 'revoked', role: 'admin', expiresAt: null },
        admin.headers,
      );
      await succeed('tokens.api.revoke', { id: apiToken.id });
      return bearer(token);
    },
  },
  {
    who: 'the cookie of a disabled admin',
    as: 'nobody',
    by: 'cookie',
    headers: async () => {
      const user = await somebody('admin');
      await succeed('users.update', { id: user.id, disabled: true });
      return user.headers;
    },
  },
  ...[
    { what: 'was disabled', change: { disabled: true } },
    { what: 'was made a viewer', change: { role: 'viewer' } },
    { what: 'got a new password', change: { password: 'another horse battery' } },
  ].map(
    ({ what, change }): Caller => ({
      who: `the token of an admin who ${what}`,
      as: 'nobody',
      by: 'token',
      headers: async () => {
        const user = await somebody('admin');
        const token = await user.token('admin');
        await succeed('users.update', { id: user.id, ...change });
        return bearer(token);
      },
    }),
  ),
  {
    who: 'the cookie of a session that signed out',
    as: 'nobody',
    by: 'cookie',
    headers: async () => {
      const user = await somebody('admin');
      await user.signOut();
      return user.headers;
    },
  },
  {
    who: 'the cookie of an admin who was signed out everywhere',
    as: 'nobody',
    by: 'cookie',
    headers: async () => {
      const user = await somebody('admin');
      await succeed('users.update', { id: user.id, signOutEverywhere: true });
      return user.headers;
    },
  },
];

const others: Caller[] = [
  {
    who: 'an evaluator by token',
    as: 'evaluator',
    by: 'token',
    headers: async () => bearer(await admin.token('evaluator')),
  },
  {
    who: 'an admin who was made a viewer, by cookie',
    as: 'viewer',
    by: 'cookie',
    headers: async () => {
      const user = await somebody('admin');
      await succeed('users.update', { id: user.id, role: 'viewer' });
      return user.headers;
    },
  },
  {
    // However this came about, the lower of the two roles applies.
    who: 'an admin’s token whose owner is a viewer',
    as: 'viewer',
    by: 'token',
    headers: async () => {
      const { id: owner } = await somebody('viewer');
      const token = { name: 'too much', role: 'admin', createdBy: 'a test', expiresAt: null, owner } as const;
      return bearer((await createApiToken(store(), token, Date.now())).token);
    },
  },
  {
    who: 'an admin by cookie from another origin',
    as: 'admin',
    by: 'cookie',
    fromElsewhere: true,
    headers: async () => ({ ...(await somebody('admin')).headers, origin: FOREIGN }),
  },
  {
    who: 'an admin by cookie from no page',
    as: 'admin',
    by: 'cookie',
    fromElsewhere: true,
    headers: async () => ({ cookie: (await somebody('admin')).cookie }),
  },
];

const CALLERS = [...nobodies, ...ofEachRole, ...others];

/** The status and code of an answer; for a stream, those of its first event. */
const saidBy = async (
  response: Response,
  isOfSomething: boolean,
): Promise<{ status: number; code: string }> => {
  const { status, headers } = response;
  const type = headers.get('content-type');
  if (isOfSomething && type?.startsWith('text/event-stream')) {
    const event = await firstEvent(response);
    return { status: Number(event.status ?? 200), code: String(event.code ?? '') };
  }
  const { code = '' } =
    type === 'application/problem+json' ? ((await response.json()) as { code?: string }) : {};
  if (!response.bodyUsed) await response.body?.cancel();
  return { status, code };
};

/** The answer as a word of the table; anything else as its status and code. */
const outcomeOf = async (response: Response, isHidden: boolean, isOfSomething: boolean): Promise<string> => {
  const { status, code } = await saidBy(response, isOfSomething);
  if (status === 401 && code === 'unauthenticated') return 'nobody';
  if (status === 403) return code;
  if (status === 404 && isHidden) return 'hidden';
  return status < 500 && status !== 401 ? 'yes' : `${status} ${code}`;
};

const expected = (access: Access, { as, by, fromElsewhere }: Caller, isChange: boolean): string => {
  if (access === 'no' && as === 'nobody') return 'nobody';
  if (fromElsewhere && isChange) return 'wrong_origin';
  if (access === 'no' || (access === 'user' && by !== 'cookie')) return 'forbidden';
  return access === 'user' ? 'yes' : access;
};

const contracts = new Map(operations.map(({ contract }) => [contract.id, contract]));

/** Ends the session that asks for it, so it is asked for last. */
const LAST = 'account.signOutEverywhere';
const inOrder = (rows: readonly Row[]): Row[] =>
  [...rows].sort((a, b) => Number(a.operation === LAST) - Number(b.operation === LAST));

/** Lines for what deviates from the table: its word, an arrow, and the answer. */
const mismatches = async (
  rows: readonly Row[],
  caller: Caller,
  inputOf: (row: Row) => Record<string, unknown>,
): Promise<string[]> => {
  const headers = await caller.headers();
  const lines: string[] = [];
  for (const row of inOrder(rows)) {
    const access = row.access[caller.as];
    const response = await ask(row.operation, inputOf(row), headers);
    const isChange = contracts.get(row.operation)?.method !== 'GET';
    const [want, got] = [
      expected(access, caller, isChange),
      await outcomeOf(response, access === 'hidden', row.of !== null),
    ];
    if (want !== got) lines.push(`${row.operation} ${row.of ?? ''}: ${want} → ${got}`);
  }
  return lines;
};

describe('who may do what', () => {
  it.each(CALLERS)('is as the table says for $who', async (caller) => {
    const rows = ROWS.filter(({ operation }) => contracts.has(operation));
    expect(
      await mismatches(rows, caller, ({ operation }) => minimalInput(contracts.get(operation)!)),
    ).toEqual([]);
  });
});

/** Resources to act on, each created by an admin. */
const makeThings = async (): Promise<Record<string, Record<string, unknown>>> => {
  await test.empty();
  admin = await User.signedIn('admin@example.org', 'admin');
  const { redis } = test;
  await redis.set('env_vars:FEATURE_THING', 'true');
  const family = 'discours.author-id';
  const job = await succeed('families.invalidate', { family }, admin.headers);
  const repair = await succeed('sessions.repair', { kinds: ['ghost'] }, admin.headers);
  const ban = await succeed('guard.blacklist.add', { ips: ['192.0.2.1'] }, admin.headers);
  const { items } = await succeed<{ items: { etag: string }[] }>('flags.list', {});
  const { etag } = items[0]!;
  const flag = await succeed('flags.set', { name: 'FEATURE_THING', enabled: false, etag }, admin.headers);
  const ofSessions = { family: 'discours.session' };
  return {
    'of-an-invalidation': { jobId: job.jobId, auditId: job.auditId },
    'of-a-repair': { jobId: repair.jobId },
    'of-a-ban': { auditId: ban.auditId },
    'of-a-flag': { auditId: flag.auditId },
    'of-sessions': ofSessions,
    'of-one-variable': { keyIds: [Buffer.from('env_vars:SECRET').toString('base64url')] },
  };
};

const inputOf = (things: Record<string, Record<string, unknown>>, { operation, of }: Row) => {
  const { jobId, auditId, ...target } = things[of!]!;
  if (operation === 'jobs.setPace') return { jobId, pace: 'faster' };
  if (operation.startsWith('jobs.')) return { jobId };
  if (operation === 'audit.undo') return { auditId };
  return operation === 'families.setTtl' ? { ...target, ttlSeconds: 300 } : target;
};

describe('who may do what with a thing', () => {
  it.each(CALLERS)('is as the table says for $who', async (caller) => {
    const things = await makeThings();
    expect(await mismatches(ROWS_OF_SOMETHING, caller, (row) => inputOf(things, row))).toEqual([]);
  });
});
