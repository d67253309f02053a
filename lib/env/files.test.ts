import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import type { AnyCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import type { Result } from '@/lib/contract';
import type { Problem } from '@/lib/errors';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { variableHistory } from './history';
import { importVariablesCommand } from './import';
import { exportVariablesCommand } from './plaintext';
import { listVariables } from './reads';
import type { envContracts } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  registerUndoable([importVariablesCommand]);
});
beforeEach(async () => {
  await test.empty();
  connections().set('main', test.handle);
});
afterAll(() => test.close());

const SECRET = 'xk9Qm2vR7tLw4nZp8sYb';
type Diff = Result<typeof envContracts.import>;

const run = async (command: AnyCommand, raw: object, connection: ConnectionHandle | null = test.handle) => {
  const actor = testActor();
  const done = await runCommand(command as never, { actor, requestId: randomUUID(), connection, raw });
  return command.contract.result.parse(done) as never;
};
const read = (raw: object): Promise<Diff> => run(importVariablesCommand, raw);
const preview = (text: string, more: object = {}): Promise<Diff> => read({ text, dryRun: true, ...more });
const write = (raw: object = {}): Promise<Result<typeof envContracts.export>> =>
  run(exportVariablesCommand, raw);
const all = async (): Promise<Record<string, string>> => {
  const keys = (await test.redis.keys('env_vars:*')).sort();
  const values = keys.length > 0 ? await test.redis.mget(keys) : [];
  return Object.fromEntries(keys.map((key, i) => [key.slice(9), values[i] ?? '']));
};
const linesOf = (diff: Diff) =>
  diff.diff.map(({ name, change, before, after }) => [name, change, before, after] as const);

describe('an import', () => {
  beforeEach(async () => {
    await test.redis.mset({
      'env_vars:SMTP_HOST': 'a.example.org',
      'env_vars:SMTP_PASSWORD': SECRET,
      'env_vars:DEBUG': 'true',
    });
  });
  const text = `# mail\nSMTP_HOST=b.example.org\nSMTP_PASSWORD=other\nDEBUG=true\nNOTE="two\nlines"\n`;

  it('previews its changes without values of secrets, and changes nothing', async () => {
    const before = await all();
    const diff = await preview(text);
    expect(linesOf(diff)).toEqual([
      ['SMTP_HOST', 'update', 'a.example.org', 'b.example.org'],
      ['SMTP_PASSWORD', 'update', null, null],
      ['DEBUG', 'same', 'true', 'true'],
      ['NOTE', 'create', null, 'two\nlines'],
    ]);
    expect(diff).toMatchObject({
      dryRun: true,
      created: 1,
      updated: 2,
      unchanged: 1,
      refused: 0,
      auditId: null,
    });
    expect(await all()).toEqual(before);
    expect((await listEntries(test.ctx.store)).items).toEqual([]);
  });

  it('applies the preview completely, and can be undone', async () => {
    await test.redis.expire('env_vars:SMTP_HOST', 500);
    const before = await all();
    const { etag } = await preview(text);
    const done = await read({ text, etag });
    expect(done).toMatchObject({ dryRun: false, created: 1, updated: 2, noUndo: null });
    expect(await all()).toEqual({
      SMTP_HOST: 'b.example.org',
      SMTP_PASSWORD: 'other',
      DEBUG: 'true',
      NOTE: 'two\nlines',
    });
    expect(await test.redis.ttl('env_vars:SMTP_HOST')).toBeGreaterThan(490);
    const { groups } = await listVariables(test.ctx, { q: 'NOTE' });
    expect(groups[0]?.variables[0]).toMatchObject({ updatedBy: 'admin@example.org' });
    const { items } = await variableHistory(test.ctx, { name: 'SMTP_HOST' });
    expect(items).toMatchObject([{ action: 'env.import', from: 'a.example.org', to: 'b.example.org' }]);
    expect(await run(undoChange, { auditId: done.auditId! }, null)).toMatchObject({
      undone: 3,
      conflicts: [],
    });
    expect(await all()).toEqual(before);
    expect(await variableHistory(test.ctx, { name: 'DEBUG' })).toMatchObject({ items: [] });
    const log = JSON.stringify(await listEntries(test.ctx.store));
    for (const secret of [SECRET, '"other"']) expect(log).not.toContain(secret);
  });

  it('undoes what is unchanged, and lists the rest as conflicts', async () => {
    const done = await read({ text });
    await test.redis.set('env_vars:SMTP_HOST', 'c.example.org');
    const undone = await run(undoChange, { auditId: done.auditId! }, null);
    expect(undone).toMatchObject({ undone: 2, conflicts: [{ what: 'SMTP_HOST' }] });
    expect(await all()).toEqual({ SMTP_HOST: 'c.example.org', SMTP_PASSWORD: SECRET, DEBUG: 'true' });
  });

  it('is refused if anything changed since the preview, and works without a preview', async () => {
    const { etag } = await preview(text);
    await test.redis.set('env_vars:SMTP_HOST', 'c.example.org');
    const problem = await problemOf(read({ text, etag }));
    expect([problem.status, problem.extensions.etag]).toEqual([412, (await preview(text)).etag]);
    expect((await problemOf(read({ text: `${text}MORE=1\n`, etag }))).status).toBe(412);
    expect(await all()).toMatchObject({ SMTP_HOST: 'c.example.org', SMTP_PASSWORD: SECRET });
    await read({ text });
    expect(await all()).toMatchObject({ SMTP_HOST: 'b.example.org' });
  });

  it('changes nothing if a line is refused, and names every refused line', async () => {
    const before = await all();
    const big = `BIG=${'x'.repeat(2_000_000)}`;
    const bad = `${text}SMTP_HOST=again\nA=B=C\nA B=1\nhunter2hunter2\nN=a\0b\n${big}\n1X=2`;
    await test.redis.hset('env_vars:A', 'x', '1');
    const problem = await problemOf(read({ text: bad, anyway: true }));
    expect(problem.status).toBe(400);
    const errors = problem.extensions.errors as { path: string; message: string }[];
    expect(errors.map(({ message }) => /^line (\d+)/.exec(message)?.[1])).toEqual([
      '7',
      '8',
      '9',
      '10',
      '11',
      '12',
      '13',
    ]);
    expect(JSON.stringify(errors)).not.toContain('hunter2');
    const diff = await preview(bad);
    expect(diff.refused).toBe(7);
    expect(
      diff.diff.filter(({ change }) => change === 'refused').map(({ problems }) => problems[0]?.line),
    ).toEqual([7, 8, 9, 10, 11, 12, 13]);
    await test.redis.del('env_vars:A');
    expect(await all()).toEqual(before);
  });

  it('warns about values and new names by line, unless `anyway`', async () => {
    const doubtful = 'REDIS_PORT=six\nlower=1\nDEBUG=true\n';
    const problem = await problemOf(read({ text: doubtful }));
    expect([problem.code, problem.message]).toEqual([
      'value_doubtful',
      expect.stringMatching(/line 1: .*line 2: .*lower-case/),
    ]);
    expect((await preview(doubtful)).diff.map(({ problems }) => problems.length)).toEqual([1, 1, 0]);
    expect(await read({ text: doubtful, anyway: true })).toMatchObject({ created: 2, unchanged: 1 });
  });

  it('succeeds for exactly one of two concurrent requests', async () => {
    const { etag } = await preview(text);
    const tries = await Promise.allSettled([
      read({ text, etag }),
      read({ text, etag }),
      read({ text, etag }),
    ]);
    const refused = tries.flatMap((each) => (each.status === 'rejected' ? [each.reason as Problem] : []));
    expect(refused.map(({ status }) => status)).toEqual([412, 412]);
    const now = (await preview(text)).etag;
    for (const { extensions } of refused) expect(extensions.etag).toBe(now);
  });

  it('needs approval for flags, and confirmation on production', async () => {
    const two = {
      ...test.handle,
      config: { ...test.handle.config, flags: { approval: 'two-person' as const } },
    };
    await test.redis.set('env_vars:FEATURE_A', 'on');
    const flags = 'FEATURE_A=on\nSMTP_HOST=b\n';
    await run(importVariablesCommand, { text: flags }, two);
    const changing = 'FEATURE_A=off\nSMTP_HOST=c\nFEATURE_B=on\n';
    expect(await problemOf(run(importVariablesCommand, { text: changing }, two))).toMatchObject({
      code: 'approval_required',
    });
    expect(await run(importVariablesCommand, { text: changing, dryRun: true }, two)).toMatchObject({
      refused: 2,
    });
    expect(await all()).toMatchObject({ SMTP_HOST: 'b', FEATURE_A: 'on' });
    const production = {
      ...test.handle,
      config: { ...test.handle.config, environment: 'production' as const },
    };
    expect((await problemOf(run(importVariablesCommand, { text: 'A=1' }, production))).code).toBe(
      'confirmation_required',
    );
  });

  it('has at most 2000 variables, applied in one step', { tags: 'long' }, async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `V_${i}=${i}\n`).join('');
    expect((await problemOf(read({ text: many(2001) }))).status).toBe(400);
    const done = await read({ text: many(2000) });
    expect(done.created).toBe(2000);
    const { items } = await variableHistory(test.ctx, { name: 'V_1999' });
    expect(items).toMatchObject([{ action: 'env.import' }]);
    await run(undoChange, { auditId: done.auditId! }, null);
    expect(await test.redis.exists('env_vars:V_0')).toBe(0);
  });

  it('without variables changes nothing', async () => {
    expect(await read({ text: '# nothing\n' })).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 0,
      diff: [],
    });
  });
});

describe('an export', () => {
  it('can be imported again, and lists what it left out', async () => {
    const values = {
      SMTP_HOST: 'a.example.org',
      JWT_SECRET: SECRET,
      NOTE: 'it\'s "two"\nlines $HOME #1',
      EMPTY: '',
    };
    for (const [name, value] of Object.entries(values)) await test.redis.set(`env_vars:${name}`, value);
    await test.redis.set('env_vars:A=B', '1');
    await test.redis.set('env_vars:BYTES', Buffer.from([0xff]));
    await test.redis.set('env_vars:NUL', 'a\0b');
    await test.redis.set('env_vars:BIG', 'x'.repeat(2_000_000));
    await test.redis.hset('env_vars:HASH', 'a', '1');
    const exported = await write({ reason: 'move' });
    expect(exported.variables).toBe(4);
    expect(exported.skipped.map(({ name }) => name).sort()).toEqual(['A=B', 'BIG', 'BYTES', 'HASH', 'NUL']);
    await test.redis.flushall();
    await read({ text: exported.text });
    expect(await all()).toEqual(values);
    const { items } = await listEntries(test.ctx.store, { action: 'env.export' });
    expect(items).toMatchObject([
      { reason: 'move', target: 'all variables', after: { variables: 4, secrets: true } },
    ]);
    expect(JSON.stringify(items)).not.toContain(SECRET);
  });

  it('without secrets leaves them out, by name and by value', async () => {
    await test.redis.mset({
      'env_vars:SMTP_HOST': 'a',
      'env_vars:JWT_SECRET': 'x',
      'env_vars:PAYMENTS': `sk_live_${SECRET}`,
    });
    const exported = await write({ secrets: false });
    expect(exported.text).toBe('SMTP_HOST=a\n');
    expect(exported.skipped).toEqual([
      { name: 'JWT_SECRET', why: 'Secret.' },
      { name: 'PAYMENTS', why: 'Secret.' },
    ]);
  });
});
