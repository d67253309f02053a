import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditKeys } from '@/lib/audit/chain';
import { listEntries } from '@/lib/audit/reads';
import type { AnyCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import type { Problem } from '@/lib/errors';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { openStore } from '@/lib/redis/store';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { EMPTY_NAME } from '@/lib/values/schema';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import {
  createVariableCommand,
  deleteVariableCommand,
  renameVariableCommand,
  setVariableCommand,
} from './commands';
import { variableHistory } from './history';
import { revealVariable } from './plaintext';
import { listVariables } from './reads';
import { envContracts, type Variable } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  registerUndoable([setVariableCommand, createVariableCommand, deleteVariableCommand, renameVariableCommand]);
});
beforeEach(async () => {
  await test.empty();
  connections().set('main', test.handle);
});
afterAll(() => test.close());

const SECRET = 'xk9Qm2vR7tLw4nZp8sYb';

/** A command as a route runs it; its answer holds what the contract declares. */
const run = async (
  command: AnyCommand,
  raw: object,
  connection: ConnectionHandle | null = test.handle,
): Promise<Record<string, unknown> & { auditId: string }> => {
  const done = await runCommand(command as never, {
    actor: testActor(),
    requestId: randomUUID(),
    connection,
    raw,
  });
  return command.contract.result.parse(done) as Record<string, unknown> & { auditId: string };
};
const set = (raw: object) => run(setVariableCommand, raw);
const create = (raw: object) => run(createVariableCommand, raw);
const rename = (raw: object) => run(renameVariableCommand, raw);
const remove = (raw: object) => run(deleteVariableCommand, raw);
const undo = (auditId: string) => run(undoChange, { auditId }, null);

const list = async (q?: string) => envContracts.list.result.parse(await listVariables(test.ctx, { q }));
const variables = async (): Promise<Map<string, Variable>> => {
  const { groups } = await list();
  return new Map(groups.flatMap((group) => group.variables.map((each) => [each.name, each])));
};
const etagOf = async (name: string): Promise<string> => (await variables()).get(name)!.etag;
const put = (name: string, value: string | Buffer) => test.redis.set(`env_vars:${name}`, value);
const stored = (name: string) => test.redis.get(`env_vars:${name}`);

/** A connection like the test's with other settings, on the same server. */
const handleWith = (config: Partial<ConnectionHandle['config']>): ConnectionHandle => ({
  ...test.handle,
  config: { ...test.handle.config, ...config },
});
const TWO = { flags: { approval: 'two-person' as const } };

describe('the list', () => {
  it('is by category, masks secrets, and shows problems and missing variables', async () => {
    await test.redis.mset({
      'env_vars:POSTGRES_USER': 'discours',
      'env_vars:DB_URL': `postgres://app:${SECRET}@db/main`,
      'env_vars:JWT_SECRET': 'short',
      'env_vars:SMTP_HOST': 'smtp.example.org',
      'env_vars:FEATURE_KEYBOARD': 'yes',
      'env_vars:DEBUG': 'maybe',
      'env_vars:PAYMENTS': `sk_live_${SECRET}`,
      'env_vars:log_level': 'info',
      'env_vars:A=B': '1',
      'env_vars:<script>': '1',
      'env_vars:NUL': 'a\0b',
      'env_vars:LINES': 'a\nb',
      'env_vars:BIG': 'x'.repeat(2_000_000),
    });
    await test.redis.set('env_vars:GREETING', Buffer.from([0xcf, 0xf0, 0x20]), 'EX', 90);
    await test.redis.set(Buffer.from('env_vars:\xff', 'latin1'), 'x');
    await test.redis.hset('env_vars:REDIS_HOST', 'a', SECRET);
    const { groups, missing, total } = await list();
    expect(groups.map(({ category, variables: of }) => [category, of.map(({ name }) => name)])).toEqual([
      ['database', ['DB_URL', 'POSTGRES_USER']],
      ['auth', ['JWT_SECRET']],
      ['redis', ['REDIS_HOST']],
      ['integrations', ['SMTP_HOST']],
      ['logging', ['DEBUG']],
      ['features', ['FEATURE_KEYBOARD']],
      ['other', ['<script>', 'A=B', 'BIG', 'GREETING', 'LINES', 'NUL', 'PAYMENTS', '\\xff', 'log_level']],
    ]);
    expect(total).toBe(16);
    expect(missing.map(({ name }) => name)).toEqual([
      'REDIS_URL',
      'REDIS_PORT',
      'SEARCH_API_KEY',
      'ELASTICSEARCH_URL',
      'GOOGLE_ANALYTICS_ID',
      'SENTRY_DSN',
      'CORS_ORIGINS',
      'ALLOWED_HOSTS',
      'LOG_LEVEL',
    ]);
    const found = await variables();
    const shown = (name: string) => {
      const { secretBy, value, problems } = found.get(name)!;
      return [secretBy, value, problems.map(({ code }) => code)];
    };
    expect(shown('POSTGRES_USER')).toEqual([null, 'discours', []]);
    expect(shown('DB_URL')).toEqual(['shape', null, []]);
    expect(shown('JWT_SECRET')).toEqual(['name', null, []]);
    expect(shown('PAYMENTS')).toEqual(['shape', null, []]);
    expect(shown('FEATURE_KEYBOARD')).toEqual([null, 'yes', []]);
    expect(shown('DEBUG')).toEqual([null, 'maybe', ['value']]);
    expect(shown('log_level')).toEqual([null, 'info', ['name']]);
    expect(shown('A=B')).toEqual([null, '1', ['name']]);
    expect(shown('NUL')).toEqual([null, 'a\0b', ['value']]);
    expect(shown('LINES')).toEqual([null, 'a\nb', []]);
    expect(shown('GREETING')).toEqual([null, null, ['ttl', 'not-text']]);
    expect(found.get('GREETING')).toMatchObject({ valueBase64: 'z/Ag', ttlSeconds: 90 });
    expect(shown('REDIS_HOST')).toEqual([null, null, ['wrong-type']]);
    expect(found.get('BIG')).toMatchObject({ value: null, lengthBytes: 2_000_000 });
    expect(shown('BIG')[2]).toEqual(['too-large']);
    expect(JSON.stringify(groups)).not.toContain(SECRET);
  });

  it('never reads a 2 MB value in full', async () => {
    await put('BIG', 'x'.repeat(2_000_000));
    await list();
    const before = Number(/total_net_output_bytes:(\d+)/.exec(await test.redis.info('stats'))![1]);
    await list();
    const after = Number(/total_net_output_bytes:(\d+)/.exec(await test.redis.info('stats'))![1]);
    expect(after - before).toBeLessThan(150_000);
  });

  it('searches names and visible values, never secrets', async () => {
    await test.redis.mset({
      'env_vars:SMTP_HOST': 'mail.example.org',
      'env_vars:SMTP_PASSWORD': SECRET,
      'env_vars:DEBUG': 'true',
    });
    const names = async (q: string) =>
      (await list(q)).groups.flatMap(({ variables: of }) => of.map(({ name }) => name));
    expect(await names('smtp')).toEqual(['SMTP_HOST', 'SMTP_PASSWORD']);
    expect(await names(' MAIL.')).toEqual(['SMTP_HOST']);
    expect(await names(SECRET.slice(0, 8))).toEqual([]);
    expect((await list('redis')).missing.map(({ name }) => name)).toEqual([
      'REDIS_URL',
      'REDIS_HOST',
      'REDIS_PORT',
    ]);
  });

  it('shows the last change unless the value was changed outside Keyward, and works without the store', async () => {
    await put('DEBUG', 'true');
    await set({ name: 'DEBUG', value: 'false', etag: await etagOf('DEBUG') });
    expect((await variables()).get('DEBUG')).toMatchObject({ updatedBy: 'admin@example.org' });
    const store = openStore('redis://127.0.0.1:1');
    const { groups } = await listVariables({ ...test.ctx, store }, {});
    expect(groups[0]?.variables[0]).toMatchObject({ value: 'false', updatedBy: null });
    store.close();
    await put('DEBUG', 'true');
    expect((await variables()).get('DEBUG')).toMatchObject({ updatedBy: null, updatedAt: null });
  });
});

describe('a reveal', () => {
  it('returns one value, and each read is audited without the value', async () => {
    await put('JWT_SECRET', SECRET);
    for (let i = 0; i < 2; i++)
      expect(await run(revealVariable, { name: 'JWT_SECRET', reason: 'rotate' })).toMatchObject({
        value: SECRET,
        valueBase64: null,
        etag: await etagOf('JWT_SECRET'),
      });
    const { items } = await listEntries(test.ctx.store);
    expect(items.map(({ action, target, reason }) => [action, target, reason])).toEqual([
      ['env.reveal', 'JWT_SECRET', 'rotate'],
      ['env.reveal', 'JWT_SECRET', 'rotate'],
    ]);
    expect(JSON.stringify(items)).not.toContain(SECRET);
  });

  it('returns bytes that are not text as base64, and refuses other types', async () => {
    await put('JWT_SECRET', Buffer.from([0xff, 0]));
    expect(await run(revealVariable, { name: 'JWT_SECRET' })).toMatchObject({
      value: null,
      valueBase64: '/wA=',
    });
    await put('BIG', 'x'.repeat(2_000_000));
    await test.redis.hset('env_vars:HASH', 'a', '1');
    for (const [name, status] of [
      ['BIG', 409],
      ['HASH', 409],
      ['NONE', 404],
    ] as const)
      expect((await problemOf(run(revealVariable, { name }))).status, name).toBe(status);
  });
});

describe('setting', () => {
  it('keeps the TTL, returns the new etag, and can be undone', async () => {
    await test.redis.set('env_vars:SMTP_HOST', 'a.example.org', 'EX', 500);
    const done = await set({ name: 'SMTP_HOST', value: 'b.example.org', etag: await etagOf('SMTP_HOST') });
    expect(done).toMatchObject({ etag: await etagOf('SMTP_HOST'), noUndo: null });
    expect(done.undoUntil).toBeTruthy();
    expect(done.problems).toMatchObject([{ code: 'ttl' }]);
    expect(await stored('SMTP_HOST')).toBe('b.example.org');
    expect(await test.redis.ttl('env_vars:SMTP_HOST')).toBeGreaterThan(490);
    expect(await undo(done.auditId)).toMatchObject({ undone: 1, conflicts: [] });
    expect(await stored('SMTP_HOST')).toBe('a.example.org');
    expect(await test.redis.ttl('env_vars:SMTP_HOST')).toBeGreaterThan(490);
  });

  it('gets both values if someone else changed it first, for a secret only that it changed', async () => {
    await put('SMTP_HOST', 'a');
    await put('JWT_SECRET', 'a');
    const [open, secret] = [await etagOf('SMTP_HOST'), await etagOf('JWT_SECRET')];
    await set({ name: 'SMTP_HOST', value: 'b', etag: open });
    await put('JWT_SECRET', SECRET);
    const problem = await problemOf(set({ name: 'SMTP_HOST', value: 'c', etag: open }));
    expect(problem.status).toBe(412);
    expect(problem.extensions).toMatchObject({
      etag: await etagOf('SMTP_HOST'),
      value: 'b',
      secret: false,
      updatedBy: 'admin@example.org',
    });
    const masked = await problemOf(set({ name: 'JWT_SECRET', value: 'c', etag: secret }));
    expect(masked.extensions).toMatchObject({ etag: await etagOf('JWT_SECRET'), value: null, secret: true });
    expect(JSON.stringify(masked.extensions)).not.toContain(SECRET);
  });

  it('by many at once succeeds for exactly one', async () => {
    await put('SMTP_HOST', 'a');
    const etag = await etagOf('SMTP_HOST');
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => set({ name: 'SMTP_HOST', value: `v${i}`, etag })),
    );
    const refused = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason as Problem] : []));
    expect(refused.map(({ status }) => status)).toEqual(Array(9).fill(412));
    expect(refused[0]?.extensions.value).toBe(await stored('SMTP_HOST'));
  });

  it('of a variable that was deleted or changed its type since is refused', async () => {
    await put('SMTP_HOST', 'a');
    const etag = await etagOf('SMTP_HOST');
    await test.redis.del('env_vars:SMTP_HOST');
    const problem = await problemOf(set({ name: 'SMTP_HOST', value: 'b', etag }));
    expect([problem.status, problem.message]).toEqual([404, expect.stringContaining('deleted')]);
    expect(await stored('SMTP_HOST')).toBeNull();
    await test.redis.hset('env_vars:SMTP_HOST', 'a', '1');
    expect((await problemOf(set({ name: 'SMTP_HOST', value: 'b', etag }))).status).toBe(412);
    const now = await etagOf('SMTP_HOST');
    expect((await problemOf(set({ name: 'SMTP_HOST', value: 'b', etag: now }))).status).toBe(409);
  });

  it('detects a change or deletion between its own read and write', async () => {
    await put('SMTP_HOST', 'a');
    const etag = await etagOf('SMTP_HOST');
    const meddling = (meddle: () => Promise<unknown>): ConnectionHandle => {
      let done = false;
      const { reader } = test.handle;
      const readMany = async (commands: never) => {
        const replies = await reader.readMany(commands);
        if (!done) {
          done = true;
          await meddle();
        }
        return replies;
      };
      return { ...test.handle, reader: { ...reader, readMany: readMany as typeof reader.readMany } };
    };
    const raw = { name: 'SMTP_HOST', value: 'b', etag };
    const changed = meddling(() => put('SMTP_HOST', 'other'));
    expect((await problemOf(run(setVariableCommand, raw, changed))).extensions.value).toBe('other');
    await put('SMTP_HOST', 'a');
    const deleted = meddling(() => test.redis.del('env_vars:SMTP_HOST'));
    expect((await problemOf(run(setVariableCommand, raw, deleted))).status).toBe(404);
    expect(await stored('SMTP_HOST')).toBeNull();
  });

  it('refuses invalid values always, and questionable ones unless `anyway`', async () => {
    await put('REDIS_PORT', '6379');
    const etag = await etagOf('REDIS_PORT');
    const base = { name: 'REDIS_PORT', etag, anyway: true };
    for (const raw of [
      { value: 'a\0b' },
      { valueBase64: 'AA==' },
      { value: '\ud800' },
      { value: 'é'.repeat(600_000) },
      { value: '1', valueBase64: 'MQ==' },
      {},
      { value: '1', extra: 1 },
      { value: 1 },
    ])
      expect((await problemOf(set({ ...base, ...raw }))).status, JSON.stringify(raw).slice(0, 40)).toBe(400);
    const doubtful = await problemOf(set({ ...base, value: 'six', anyway: false }));
    expect([doubtful.status, doubtful.code]).toEqual([409, 'value_doubtful']);
    expect(doubtful.message).toContain('integer');
    expect(await stored('REDIS_PORT')).toBe('6379');
    expect(await set({ ...base, value: 'six' })).toMatchObject({ problems: [{ code: 'value' }] });
    expect(await stored('REDIS_PORT')).toBe('six');
  });

  it('accepts newlines, other alphabets and bytes, and notes a changed boolean format', async () => {
    await put('GREETING', 'a');
    let etag = await etagOf('GREETING');
    for (const value of ['a\nb\r\n', '日本語 🎉', 'a=b']) {
      etag = (await set({ name: 'GREETING', value, etag })).etag as string;
      expect(await stored('GREETING')).toBe(value);
    }
    const bytes = await set({ name: 'GREETING', valueBase64: '//4=', etag });
    expect(bytes.problems).toMatchObject([{ code: 'not-text' }]);
    expect((await variables()).get('GREETING')?.valueBase64).toBe('//4=');
    await put('DEBUG', 'Yes');
    const hint = await set({ name: 'DEBUG', value: 'false', etag: await etagOf('DEBUG') });
    expect(hint.problems).toMatchObject([{ message: expect.stringContaining('yes/no') }]);
  });

  it('edits a long value by either etag, and one over 1 MiB without undo', { tags: ['long'] }, async () => {
    await put('LONG', `${'x'.repeat(100_000)}a`);
    const { etag: whole } = await run(revealVariable, { name: 'LONG' });
    expect(whole).not.toBe(await etagOf('LONG'));
    await put('LONG', `${'x'.repeat(100_000)}b`);
    expect((await problemOf(set({ name: 'LONG', value: 'c', etag: whole }))).status).toBe(412);
    const done = await set({ name: 'LONG', value: 'c', etag: await etagOf('LONG') });
    await undo(done.auditId);
    expect(await stored('LONG')).toBe(`${'x'.repeat(100_000)}b`);
    await put('BIG', 'x'.repeat(2_000_000));
    const replaced = await set({ name: 'BIG', value: 'small', etag: await etagOf('BIG') });
    expect(replaced).toMatchObject({ noUndo: expect.stringContaining('2000000') });
    expect(replaced.undoUntil ?? null).toBeNull();
    expect(await stored('BIG')).toBe('small');
  });

  it('of an invalid name is refused', async () => {
    await test.redis.set('env_vars:A:invalidated', '1');
    for (const name of ['A:invalidated', 'NONE', '\\x41', 'a\nb', '../x'])
      expect((await problemOf(set({ name, value: '1', etag: 'x' }))).status, name).toBe(404);
  });

  it('accepts names that are not text as lists write them', async () => {
    await test.redis.set(Buffer.from('env_vars:\xff\x01', 'latin1'), 'a');
    const name = '\\xff\\x01';
    await set({ name, value: 'b', etag: await etagOf(name) });
    expect((await variables()).get(name)?.value).toBe('b');
  });
});

describe('the variable without a name', () => {
  const name = EMPTY_NAME;

  it('is listed, read, revealed, changed, renamed, deleted and restored', { tags: ['long'] }, async () => {
    await put('', SECRET);
    expect((await variables()).get(name)).toMatchObject({
      name,
      secret: true,
      value: null,
      category: 'other',
      problems: [{ code: 'name', message: expect.stringContaining('name is empty') }],
    });
    expect(await run(revealVariable, { name })).toMatchObject({ name, value: SECRET });
    await set({ name, value: 'plain', etag: await etagOf(name) });
    expect((await variables()).get(name)).toMatchObject({ value: 'plain', secret: false });
    const { auditId } = await remove({ name, etag: await etagOf(name) });
    expect(await stored('')).toBeNull();
    await undo(auditId);
    expect(await stored('')).toBe('plain');
    await rename({ name, newName: 'GREETING', etag: await etagOf(name), anyway: true });
    expect([await stored(''), await stored('GREETING')]).toEqual([null, 'plain']);
    const { items } = await variableHistory(test.ctx, { name });
    expect(items.map(({ action }) => action).sort()).toEqual([
      'audit.undo',
      'env.delete',
      'env.rename',
      'env.reveal',
      'env.set',
    ]);
  });

  it('is not created, nor is a variable renamed to it', async () => {
    await put('GREETING', 'x');
    for (const wanted of ['', name]) {
      expect(await problemOf(create({ name: wanted, value: 'x' }))).toMatchObject({ status: 400 });
      const input = { name: 'GREETING', newName: wanted, etag: await etagOf('GREETING') };
      expect(await problemOf(rename(input))).toMatchObject({ status: 400 });
    }
  });
});

describe('creating', () => {
  it('creates a variable once, and can be undone while it is unchanged', async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 5 }, (_, i) => create({ name: 'SMTP_HOST', value: `v${i}` })),
    );
    const made = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(made).toHaveLength(1);
    for (const one of tries)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({ status: 409, extensions: { value: await stored('SMTP_HOST') } });
    const { auditId } = made[0]!;
    expect(await undo(auditId)).toMatchObject({ undone: 1 });
    expect(await stored('SMTP_HOST')).toBeNull();
    const again = await create({ name: 'SMTP_HOST', value: 'a' });
    await put('SMTP_HOST', 'b');
    expect(await undo(again.auditId)).toMatchObject({ undone: 0, conflicts: [{ what: 'SMTP_HOST' }] });
    expect(await stored('SMTP_HOST')).toBe('b');
  });

  it('refuses names that shells do not allow, and warns about lower-case names and wrong values', async () => {
    for (const name of ['A=B', '1A', 'A B', 'имя', '', 'A'.repeat(201), 'A\n', '<script>'])
      expect((await problemOf(create({ name, value: '1', anyway: true }))).status, name).toBe(400);
    const lower = await problemOf(create({ name: 'smtp_port', value: 'x' }));
    expect([lower.code, lower.message]).toEqual([
      'value_doubtful',
      expect.stringMatching(/lower-case.*integer/),
    ]);
    await create({ name: 'smtp_port', value: 'x', anyway: true });
    expect(await stored('smtp_port')).toBe('x');
  });
});

describe('renaming', () => {
  it('is atomic, keeps value and TTL, and can be undone', async () => {
    await test.redis.set('env_vars:MAIL_HOST', 'a', 'EX', 500);
    const etag = await etagOf('MAIL_HOST');
    const done = await rename({ name: 'MAIL_HOST', newName: 'SMTP_HOST', etag });
    expect(done).toMatchObject({ name: 'SMTP_HOST', etag });
    expect([await stored('MAIL_HOST'), await stored('SMTP_HOST')]).toEqual([null, 'a']);
    expect(await test.redis.ttl('env_vars:SMTP_HOST')).toBeGreaterThan(490);
    expect(await undo(done.auditId)).toMatchObject({ undone: 1 });
    expect([await stored('MAIL_HOST'), await stored('SMTP_HOST')]).toEqual(['a', null]);
  });

  it('never replaces another variable, also not by undo', async () => {
    await put('MAIL_HOST', 'a');
    await put('SMTP_HOST', 'b');
    const etag = await etagOf('MAIL_HOST');
    expect((await problemOf(rename({ name: 'MAIL_HOST', newName: 'SMTP_HOST', etag }))).status).toBe(409);
    expect((await problemOf(rename({ name: 'MAIL_HOST', newName: 'MAIL_HOST', etag }))).status).toBe(400);
    expect((await problemOf(rename({ name: 'MAIL_HOST', newName: 'A=B', etag }))).status).toBe(400);
    expect((await problemOf(rename({ name: 'MAIL_HOST', newName: 'OTHER', etag: 'x' }))).status).toBe(412);
    const done = await rename({ name: 'MAIL_HOST', newName: 'OTHER', etag });
    await put('MAIL_HOST', 'new');
    expect(await undo(done.auditId)).toMatchObject({ undone: 0, conflicts: [{ what: 'OTHER' }] });
    await test.redis.del('env_vars:MAIL_HOST');
    await put('OTHER', 'changed');
    expect(await undo(done.auditId)).toMatchObject({ conflicts: [{ why: 'It was changed since.' }] });
    await test.redis.del('env_vars:OTHER');
    expect(await undo(done.auditId)).toMatchObject({ conflicts: [{ why: 'It was deleted since.' }] });
  });

  it('warns about a name that would unmask the value or suggests another kind', async () => {
    await put('MAIL_PASSWORD', 'hunter2');
    const etag = await etagOf('MAIL_PASSWORD');
    const exposed = await problemOf(rename({ name: 'MAIL_PASSWORD', newName: 'MAIL_PHRASE', etag }));
    expect([exposed.code, exposed.message]).toEqual(['value_doubtful', expect.stringContaining('visible')]);
    expect((await problemOf(rename({ name: 'MAIL_PASSWORD', newName: 'SMTP_PORT', etag }))).code).toBe(
      'value_doubtful',
    );
    await rename({ name: 'MAIL_PASSWORD', newName: 'SMTP_PASSWORD', etag });
  });
});

describe('deleting', () => {
  it('can be undone with value and TTL, unless the variable was created again', async () => {
    await test.redis.set('env_vars:JWT_SECRET', Buffer.from([1, 0, 255]), 'EX', 500);
    const gone = await remove({ name: 'JWT_SECRET', etag: await etagOf('JWT_SECRET') });
    expect(gone).toMatchObject({ name: 'JWT_SECRET', etag: null, noUndo: null });
    expect(await stored('JWT_SECRET')).toBeNull();
    expect(await undo(gone.auditId)).toMatchObject({ undone: 1 });
    expect(await test.redis.getBuffer('env_vars:JWT_SECRET')).toEqual(Buffer.from([1, 0, 255]));
    expect(await test.redis.ttl('env_vars:JWT_SECRET')).toBeGreaterThan(490);
    const again = await remove({ name: 'JWT_SECRET', etag: await etagOf('JWT_SECRET') });
    await put('JWT_SECRET', 'new');
    expect(await undo(again.auditId)).toMatchObject({ undone: 0, conflicts: [{ what: 'JWT_SECRET' }] });
    expect(await stored('JWT_SECRET')).toBe('new');
  });

  it('of a large value or another type says that it cannot be undone', async () => {
    await put('BIG', 'x'.repeat(2_000_000));
    await test.redis.hset('env_vars:HASH', 'a', '1');
    for (const name of ['BIG', 'HASH']) {
      const done = await remove({ name, etag: await etagOf(name) });
      expect(done.noUndo, name).toMatch(/undo (stores|cannot restore)/);
      expect(done.undoUntil ?? null).toBeNull();
      expect(await test.redis.exists(`env_vars:${name}`)).toBe(0);
    }
  });

  it('needs confirmation on production, and is refused on a read-only connection', async () => {
    await put('DEBUG', 'true');
    const raw = { name: 'DEBUG', etag: await etagOf('DEBUG') };
    const production = handleWith({ environment: 'production' });
    expect((await problemOf(run(deleteVariableCommand, raw, production))).code).toBe('confirmation_required');
    const locked = handleWith({ readOnly: true });
    expect((await problemOf(run(deleteVariableCommand, raw, locked))).status).toBe(423);
    expect(await run(revealVariable, { name: 'DEBUG' }, locked)).toMatchObject({ value: 'true' });
    await run(deleteVariableCommand, { ...raw, confirm: 'main' }, production);
    expect(await stored('DEBUG')).toBeNull();
  });
});

it('needs approval for flags where required, also to undo', async () => {
  await put('FEATURE_A', 'on');
  await put('OTHER', 'on');
  const before = await set({ name: 'FEATURE_A', value: 'off', etag: await etagOf('FEATURE_A') });
  const two = handleWith(TWO);
  const etag = await etagOf('FEATURE_A');
  for (const [command, raw] of [
    [setVariableCommand, { name: 'FEATURE_A', value: 'on', etag, anyway: true }],
    [createVariableCommand, { name: 'FEATURE_B', value: 'on' }],
    [deleteVariableCommand, { name: 'FEATURE_A', etag }],
    [renameVariableCommand, { name: 'FEATURE_A', newName: 'X', etag, anyway: true }],
    [renameVariableCommand, { name: 'OTHER', newName: 'FEATURE_B', etag: await etagOf('OTHER') }],
  ] as const)
    expect(await problemOf(run(command as unknown as AnyCommand, raw, two))).toMatchObject({
      status: 409,
      code: 'approval_required',
    });
  connections().set('main', two);
  expect(await undo(before.auditId)).toMatchObject({ undone: 0, conflicts: [{ what: 'FEATURE_A' }] });
  expect(await stored('FEATURE_A')).toBe('off');
  await run(setVariableCommand, { name: 'OTHER', value: 'off', etag: await etagOf('OTHER') }, two);
  expect(await stored('OTHER')).toBe('off');
});

describe('the history', () => {
  const history = async (name: string) =>
    envContracts.history.result.parse(await variableHistory(test.ctx, { name })).items;

  it('follows a variable across renames, with reveals and undos', async () => {
    await create({ name: 'MAIL_HOST', value: 'a', reason: 'first' });
    await set({ name: 'MAIL_HOST', value: 'b', etag: await etagOf('MAIL_HOST') });
    await rename({ name: 'MAIL_HOST', newName: 'SMTP_HOST', etag: await etagOf('MAIL_HOST') });
    await create({ name: 'MAIL_HOST', value: 'another' });
    const changed = await set({ name: 'SMTP_HOST', value: 'c', etag: await etagOf('SMTP_HOST') });
    await run(revealVariable, { name: 'SMTP_HOST' });
    await undo(changed.auditId);
    await problemOf(set({ name: 'SMTP_HOST', value: 'x', etag: 'stale' }));
    const items = await history('SMTP_HOST');
    expect(items.map(({ action, from, to, changed: is }) => [action, from, to, is])).toEqual([
      ['audit.undo', 'c', 'b', true],
      ['env.reveal', null, null, false],
      ['env.set', 'b', 'c', true],
      ['env.rename', null, null, false],
      ['env.set', 'a', 'b', true],
      ['env.create', null, 'a', true],
    ]);
    expect(items[3]?.renamed).toEqual({ from: 'MAIL_HOST', to: 'SMTP_HOST' });
    expect(items[2]).toMatchObject({ undoneBy: items[0]?.auditId, undoUntil: null });
    expect(items[5]).toMatchObject({ reason: 'first', actor: 'admin@example.org' });
    expect((await history('MAIL_HOST')).map(({ action }) => action)).toContain('env.create');
    expect(await history('NONE')).toEqual([]);
    for (const limit of [1, 2, 4])
      expect(
        await allPages((page) => variableHistory(test.ctx, { name: 'SMTP_HOST', ...page }), limit),
      ).toEqual(items);
    const { nextCursor } = await variableHistory(test.ctx, { name: 'SMTP_HOST', limit: 1 });
    const other = variableHistory(test.ctx, { name: 'MAIL_HOST', limit: 1, cursor: nextCursor! });
    expect((await problemOf(other)).status).toBe(400);
  });

  it('tells a value that is recorded in full from the beginning of one', async () => {
    await create({ name: 'NOTE', value: 'x'.repeat(1001) });
    await set({ name: 'NOTE', value: 'b', etag: await etagOf('NOTE') });
    await set({ name: 'NOTE', value: 'c', etag: await etagOf('NOTE') });
    expect((await history('NOTE')).map(({ from, fromCut }) => [from?.length, fromCut])).toEqual([
      [1, false],
      [1001, true],
      [undefined, false],
    ]);
  });

  it('looks for older names a little beyond a full page, not through the full log', {
    tags: ['long'],
  }, async () => {
    const rows = test.storeRedis.pipeline();
    for (let i = 0; i < 15_000; i++) rows.xadd(auditKeys.stream, '*', 'no', 'record');
    await rows.exec();
    await create({ name: 'MAIL_HOST', value: 'a' });
    await test.storeRedis.config('RESETSTAT');
    const page = await variableHistory(test.ctx, { name: 'MAIL_HOST', limit: 1 });
    expect(page.items).toHaveLength(1);
    const stats = await test.storeRedis.info('commandstats');
    const batches = Number(/cmdstat_xrevrange:calls=(\d+)/.exec(stats)?.[1]);
    expect(batches).toBeGreaterThan(1);
    expect(batches).toBeLessThanOrEqual(41);
  });

  it('shows no values of a secret, by name, by value or by a later name', { tags: ['long'] }, async () => {
    await create({ name: 'JWT_SECRET', value: SECRET });
    await set({ name: 'JWT_SECRET', value: SECRET, etag: await etagOf('JWT_SECRET') });
    await set({ name: 'JWT_SECRET', value: 'other', etag: await etagOf('JWT_SECRET') });
    expect((await history('JWT_SECRET')).map(({ from, to, changed }) => [from, to, changed])).toEqual([
      [null, null, true],
      [null, null, false],
      [null, null, true],
    ]);
    await create({ name: 'PAYMENTS', value: 'none yet' });
    await set({ name: 'PAYMENTS', value: `sk_live_${SECRET}`, etag: await etagOf('PAYMENTS') });
    await set({ name: 'PAYMENTS', value: 'off', etag: await etagOf('PAYMENTS') });
    expect((await history('PAYMENTS')).map(({ from, to }) => [from, to])).toEqual([
      [null, null],
      [null, null],
      [null, 'none yet'],
    ]);
    const { items } = await listEntries(test.ctx.store, { target: 'PAYMENTS' });
    expect(items[1]).toMatchObject({ before: { secret: true }, after: { secret: true } });
    const etag = await etagOf('PAYMENTS');
    await rename({ name: 'PAYMENTS', newName: 'PAYMENT_KEY', etag });
    expect((await history('PAYMENT_KEY')).every(({ from, to }) => from === null && to === null)).toBe(true);
    const key = await etagOf('PAYMENT_KEY');
    await rename({ name: 'PAYMENT_KEY', newName: 'PAYMENTS', etag: key, anyway: true });
    await set({ name: 'PAYMENTS', value: 'on', etag: await etagOf('PAYMENTS') });
    const inPages = await allPages((page) => variableHistory(test.ctx, { name: 'PAYMENTS', ...page }), 1);
    expect(inPages).toHaveLength(6);
    expect(inPages.every(({ from, to }) => from === null && to === null)).toBe(true);
  });
});

it('does not record a name that may be a pasted secret', async () => {
  const pasted = `Zq${SECRET}9xW3`;
  await problemOf(set({ name: pasted, value: '1', etag: 'x' }));
  await create({ name: pasted, value: '1', anyway: true });
  const entries = await listEntries(test.ctx.store);
  expect(JSON.stringify(entries)).not.toContain(pasted);
  const { items } = await variableHistory(test.ctx, { name: pasted });
  expect(items.map(({ action, to }) => [action, to])).toEqual([['env.create', '1']]);
});

it('a variable that the Redis user may not read is listed with that problem', async () => {
  await test.redis.mset({ 'env_vars:LOG_LEVEL': 'info', 'env_vars:HIDDEN': 'x' });
  await test.redis.call('ACL', 'SETUSER', 'default', 'resetkeys', '~env_vars:LOG_*');
  try {
    const all = await variables();
    expect(all.get('LOG_LEVEL')).toMatchObject({ value: 'info', problems: [] });
    expect(all.get('HIDDEN')).toMatchObject({ type: 'unreadable', value: null });
    expect(all.get('HIDDEN')!.problems).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('may not read its key') }),
    );
    const refusal = await problemOf(remove({ name: 'HIDDEN', etag: all.get('HIDDEN')!.etag }));
    expect(refusal).toMatchObject({ code: 'not_permitted', status: 503 });
  } finally {
    await test.redis.call('ACL', 'SETUSER', 'default', 'allkeys');
  }
  expect(await test.redis.get('env_vars:HIDDEN')).toBe('x');
});
