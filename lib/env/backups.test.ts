import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import type { AnyCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import type { Input, Result, WireInput } from '@/lib/contract';
import { type ConnectionHandle, connections, openConnection } from '@/lib/redis/connections';
import { DAY, HOUR } from '@/lib/time';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { startRedis } from '@/scripts/redis-server.mjs';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { backUpDaily, backUpNow, backUpVariables } from './backup';
import { sealFile } from './backup-file';
import { etagOfBytes } from './changes';
import { setVariableCommand } from './commands';
import { restoreVariablesCommand } from './restore';
import { envContracts } from './schema';
import { listBackups, MAX_PER_KIND } from './stored-backups';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  registerUndoable([restoreVariablesCommand]);
});
beforeEach(async () => {
  await test.empty();
  connections().set('main', test.handle);
});
afterAll(() => test.close());

const SECRET = 'xk9Qm2vR7tLw4nZp8sYb';
const PASSPHRASE = 'correct horse battery';
const NOON = Date.UTC(2026, 2, 14, 12);
type Restored = Result<typeof envContracts.restore>;

const run = async (command: AnyCommand, raw: object, connection: ConnectionHandle | null = test.handle) => {
  const actor = testActor();
  const done = await runCommand(command as never, { actor, requestId: randomUUID(), connection, raw });
  return command.contract.result.parse(done) as never;
};
const backUp = (connection = test.handle): Promise<Result<typeof envContracts.backup>> =>
  run(backUpVariables, { passphrase: PASSPHRASE }, connection);
const restore = (raw: WireInput<typeof envContracts.restore>, connection = test.handle): Promise<Restored> =>
  run(restoreVariablesCommand, raw, connection);
const kept = async (input: Partial<Input<typeof envContracts.backups>> = {}) =>
  envContracts.backups.result.parse(
    await listBackups(test.as({ now: () => NOON + 100 * DAY }), { limit: 1000, ...input }),
  ).items;

/** Everything there is, bytes as base64, with whether it expires. */
const all = async (): Promise<Record<string, string>> => {
  const keys = (await test.redis.keys('*')).sort();
  const entries = await Promise.all(
    keys.map(async (key) => {
      const type = await test.redis.type(key);
      const value = type === 'string' ? (await test.redis.getBuffer(key))!.toString('base64') : type;
      return [key, `${value}${(await test.redis.ttl(key)) > 0 ? ' expires' : ''}`] as const;
    }),
  );
  return Object.fromEntries(entries);
};

const fill = async () => {
  await test.redis.mset({
    'env_vars:SMTP_HOST': 'a.example.org',
    'env_vars:JWT_SECRET': SECRET,
    'env_vars:DEBUG': 'true',
    'env_vars:A=B': 'nul\0',
  });
  await test.redis.set('env_vars:BYTES', Buffer.from([0, 255]), 'EX', 500);
  await test.redis.set(Buffer.from('env_vars:\xff', 'latin1'), 'x');
};

describe('a backup file', () => {
  beforeEach(fill);

  it('restores every variable with bytes, name and TTL, and nothing else', { tags: 'long' }, async () => {
    await test.redis.hset('env_vars:HASH', 'a', '1');
    await test.redis.set('env_vars:BIG', 'x'.repeat(2_000_000));
    const before = await all();
    const made = await backUp();
    expect(made).toMatchObject({
      variables: 6,
      fileName: expect.stringMatching(/^main-variables-\d.*\.kwbackup$/),
    });
    expect(made.skipped.map(({ name }) => name)).toEqual(['BIG', 'HASH']);
    expect(Buffer.from(made.file, 'base64').includes(SECRET)).toBe(false);
    await test.redis.del('env_vars:JWT_SECRET', 'env_vars:BYTES', Buffer.from('env_vars:\xff', 'latin1'));
    await test.redis.set('env_vars:SMTP_HOST', 'other');
    await test.redis.set('env_vars:NEW', 'stays');
    const put = { file: made.file, passphrase: PASSPHRASE };
    const diff = await restore({ ...put, dryRun: true });
    expect(diff).toMatchObject({ created: 3, updated: 1, deleted: 0, unchanged: 2, refused: 0 });
    expect(diff.source?.connection).toBe('main');
    expect(diff.diff.find(({ name }) => name === 'SMTP_HOST')).toMatchObject({
      before: 'other',
      after: 'a.example.org',
    });
    expect(diff.diff.find(({ name }) => name === 'JWT_SECRET')).toMatchObject({ secret: true, after: null });
    expect(JSON.stringify(diff)).not.toContain(SECRET);
    await restore({ ...put, etag: diff.etag });
    expect(await all()).toEqual({ ...before, 'env_vars:NEW': Buffer.from('stays').toString('base64') });
  });

  it('deletes other variables only with `deleteOthers`, and never those a backup cannot hold', {
    tags: 'long',
  }, async () => {
    const { file } = await backUp();
    const before = await all();
    await test.redis.set('env_vars:NEW', 'goes');
    await test.redis.hset('env_vars:HASH', 'a', '1');
    await test.redis.set('env_vars:BIG', 'x'.repeat(2_000_000));
    await test.redis.set('unrelated', '1');
    const put = { file, passphrase: PASSPHRASE, deleteOthers: true };
    const diff = await restore({ ...put, dryRun: true });
    expect(diff.diff.filter(({ change }) => change === 'delete').map(({ name }) => name)).toEqual(['NEW']);
    const done = await restore({ ...put, etag: diff.etag });
    expect(done).toMatchObject({ deleted: 1, created: 0 });
    expect(Object.keys(await all())).toEqual(
      [...Object.keys(before), 'env_vars:BIG', 'env_vars:HASH', 'unrelated'].sort(),
    );
    await run(undoChange, { auditId: done.auditId! }, null);
    expect(await test.redis.get('env_vars:NEW')).toBe('goes');
  });

  it('that is damaged, or with another passphrase, is refused with a message, and nothing changes', {
    tags: 'long',
  }, async () => {
    const { file } = await backUp();
    await test.redis.set('env_vars:SMTP_HOST', 'other');
    const before = await all();
    const bytes = Buffer.from(file, 'base64');
    const altered = Buffer.from(bytes);
    altered[60]! ^= 1;
    const newer = Buffer.from(bytes);
    newer[8] = 9;
    const odd = (await sealFile(Buffer.from('{"format":2}'), PASSPHRASE)).toString('base64');
    const tries: [object, string][] = [
      [{ file, passphrase: 'correct horse batterz' }, 'Wrong passphrase'],
      [{ file: bytes.subarray(0, -1).toString('base64'), passphrase: PASSPHRASE }, 'incomplete'],
      [{ file: bytes.subarray(0, 30).toString('base64'), passphrase: PASSPHRASE }, 'incomplete'],
      [{ file: altered.toString('base64'), passphrase: PASSPHRASE }, 'altered'],
      [{ file: newer.toString('base64'), passphrase: PASSPHRASE }, 'newer'],
      [{ file: odd, passphrase: PASSPHRASE }, 'newer'],
      [{ file: Buffer.from('A=1').toString('base64'), passphrase: PASSPHRASE }, 'Not a backup'],
      [{ file: '', passphrase: PASSPHRASE }, 'Not a backup'],
      [{ file: '!!!', passphrase: PASSPHRASE }, 'file'],
      [{ file }, 'passphrase'],
      [{}, 'either'],
      [{ id: randomUUID(), file, passphrase: PASSPHRASE }, 'either'],
    ];
    for (const [raw, why] of tries) {
      for (const dryRun of [true, false]) {
        const problem = await problemOf(restore({ ...raw, dryRun }));
        expect([problem.status, problem.message], JSON.stringify(raw).slice(0, 60)).toEqual([
          400,
          expect.stringContaining(why),
        ]);
      }
    }
    expect((await problemOf(restore({ id: randomUUID() }))).status).toBe(404);
    expect(await all()).toEqual(before);
    expect(await kept()).toEqual([]);
  });

  it('restores only the variables that were chosen among those of the preview', {
    tags: 'long',
  }, async () => {
    const made = await backUp();
    await test.redis.mset({ 'env_vars:SMTP_HOST': 'other', 'env_vars:DEBUG': 'false' });
    const put = { file: made.file, passphrase: PASSPHRASE };
    const { etag, updated } = await restore({ ...put, dryRun: true });
    expect(updated).toBe(2);
    const done = await restore({ ...put, except: ['SMTP_HOST'], etag });
    expect(done.updated).toBe(1);
    expect(done.diff.map(({ name }) => name)).not.toContain('SMTP_HOST');
    expect(await test.redis.mget('env_vars:SMTP_HOST', 'env_vars:DEBUG')).toEqual(['other', 'true']);
  });

  it('is not restored over values changed since the preview, nor over another type', {
    tags: 'long',
  }, async () => {
    const { file } = await backUp();
    const put = { file, passphrase: PASSPHRASE };
    await test.redis.set('env_vars:SMTP_HOST', 'other');
    const { etag } = await restore({ ...put, dryRun: true });
    await test.redis.set('env_vars:SMTP_HOST', 'third');
    expect((await problemOf(restore({ ...put, etag }))).status).toBe(412);
    await test.redis.del('env_vars:DEBUG');
    await test.redis.hset('env_vars:DEBUG', 'a', '1');
    const refused = await problemOf(restore(put));
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('DEBUG')]);
    expect(await test.redis.get('env_vars:SMTP_HOST')).toBe('third');
  });

  it('removes a TTL that the backup does not have, and undo restores it', { tags: 'long' }, async () => {
    const { file } = await backUp();
    const put = { file, passphrase: PASSPHRASE };
    await test.redis.expire('env_vars:SMTP_HOST', 3600);
    const { diff, updated, etag } = await restore({ ...put, dryRun: true });
    expect(updated).toBe(1);
    const line = diff.find(({ name }) => name === 'SMTP_HOST')!;
    expect(line.problems).toMatchObject([{ message: expect.stringContaining('has a TTL') }]);
    const { auditId } = await restore({ ...put, etag });
    expect(await test.redis.ttl('env_vars:SMTP_HOST')).toBe(-1);
    await run(undoChange, { auditId: auditId! }, null);
    expect(await test.redis.ttl('env_vars:SMTP_HOST')).toBeGreaterThan(3500);
  });

  it('undo does not restore a TTL that someone else removed since', async () => {
    registerUndoable([setVariableCommand]);
    await test.redis.expire('env_vars:SMTP_HOST', 600);
    const etag = etagOfBytes(Buffer.from('a.example.org'));
    const { auditId } = (await run(setVariableCommand, {
      name: 'SMTP_HOST',
      value: 'b.example.org',
      etag,
    })) as {
      auditId: string;
    };
    await test.redis.persist('env_vars:SMTP_HOST');
    await run(undoChange, { auditId }, null);
    expect(await test.redis.get('env_vars:SMTP_HOST')).toBe('a.example.org');
    expect(await test.redis.ttl('env_vars:SMTP_HOST')).toBe(-1);
  });

  it('needs 12 characters of passphrase, confirmation on production, and approval for flags', {
    tags: 'long',
  }, async () => {
    expect((await problemOf(run(backUpVariables, { passphrase: 'short' }))).status).toBe(400);
    await test.redis.set('env_vars:FEATURE_A', 'on');
    const { file } = await backUp();
    const put = { file, passphrase: PASSPHRASE };
    await test.redis.set('env_vars:FEATURE_A', 'off');
    const other = (config: Partial<ConnectionHandle['config']>): ConnectionHandle => ({
      ...test.handle,
      config: { ...test.handle.config, ...config },
    });
    const two = other({ flags: { approval: 'two-person' } });
    expect((await problemOf(restore(put, two))).code).toBe('approval_required');
    await test.redis.set('env_vars:SMTP_HOST', 'other');
    expect(await restore({ ...put, leaveFlags: true }, two)).toMatchObject({ updated: 1, refused: 0 });
    expect(await test.redis.mget('env_vars:SMTP_HOST', 'env_vars:FEATURE_A')).not.toContain('other');
    expect((await problemOf(restore(put, other({ environment: 'production' })))).code).toBe(
      'confirmation_required',
    );
    const locked = other({ readOnly: true });
    expect((await problemOf(restore(put, locked))).status).toBe(423);
    expect(await backUp(locked)).toMatchObject({ variables: 7 });
    expect(await test.redis.get('env_vars:FEATURE_A')).toBe('off');
  });
});

describe('backups in the store', () => {
  const handles = () => [test.handle];

  it('are made when a user asks, also on a read-only connection, and can be restored', async () => {
    await fill();
    const readOnly = { ...test.handle, config: { ...test.handle.config, readOnly: true } };
    const made: Result<typeof envContracts.backUpNow> = await run(backUpNow, {}, readOnly);
    const { backup } = made;
    expect(backup).toMatchObject({ kind: 'manual', variables: 6, expiresAt: null });
    expect(await kept()).toEqual([backup]);
    await test.redis.set('env_vars:SMTP_HOST', 'other');
    await restore({ id: backup.id });
    expect(await test.redis.get('env_vars:SMTP_HOST')).toBe('a.example.org');
    const { items } = await listEntries(test.ctx.store, { action: 'env.backups.create' });
    expect(items).toMatchObject([{ target: 'all variables', after: { id: backup.id, variables: 6 } }]);
    expect(JSON.stringify(items)).not.toContain(SECRET);
  });

  it('are made once a day, by whichever process comes first, and audited', async () => {
    await fill();
    const made = await Promise.all([1, 2, 3].map(() => backUpDaily(test.ctx.store, handles(), NOON)));
    expect(made.flat()).toEqual(['main']);
    expect(await backUpDaily(test.ctx.store, handles(), NOON + 11 * HOUR)).toEqual([]);
    expect(await backUpDaily(test.ctx.store, handles(), NOON + 12 * HOUR)).toEqual(['main']);
    expect(await kept()).toMatchObject([
      { kind: 'daily', variables: 6, at: '2026-03-15T00:00:00.000Z', expiresAt: null },
      { kind: 'daily', at: '2026-03-14T12:00:00.000Z' },
    ]);
    const { items } = await listEntries(test.ctx.store, { action: 'env.backup' });
    expect(items).toHaveLength(2);
    expect(items[0]).toMatchObject({ actor: 'Keyward', connection: 'main', outcome: 'succeeded' });
  });

  it('name the variables they leave out', async () => {
    await fill();
    await test.redis.hset('env_vars:HASH', 'a', '1');
    await test.redis.set('env_vars:BIG', 'x'.repeat(2_000_000));
    await backUpDaily(test.ctx.store, handles(), NOON);
    expect(await kept()).toMatchObject([{ variables: 6, skipped: ['BIG', 'HASH'] }]);
  });

  it('are the 30 newest, and older ones are deleted completely', async () => {
    await test.redis.set('env_vars:DEBUG', 'true');
    for (let day = 0; day < MAX_PER_KIND + 3; day++)
      await backUpDaily(test.ctx.store, handles(), NOON + day * DAY);
    const items = await kept();
    expect(items).toHaveLength(MAX_PER_KIND);
    expect(items.at(-1)?.at).toBe('2026-03-17T12:00:00.000Z');
    expect(await test.storeRedis.keys('keyward:env-backup:*')).toHaveLength(MAX_PER_KIND);
    expect(await kept({ limit: 2 })).toHaveLength(2);
  });

  it('are made of read-only connections, but not without variables, application or Redis', async () => {
    expect(await backUpDaily(test.ctx.store, handles(), NOON)).toEqual([]);
    await test.redis.set('env_vars:DEBUG', 'true');
    const { config } = test.handle;
    const gone = openConnection({ ...config, id: 'gone', url: 'redis://127.0.0.1:1' });
    const hawk = openConnection({ ...config, id: 'hawk', apps: ['hawk'] });
    const locked = openConnection({ ...config, id: 'locked', readOnly: true });
    try {
      expect(await backUpDaily(test.ctx.store, [gone, hawk, locked], NOON)).toEqual(['locked']);
    } finally {
      for (const handle of [gone, hawk, locked]) handle.topology.close();
    }
  });

  it('are restored after a preview, and the current variables are backed up first', async () => {
    await fill();
    await backUpDaily(test.ctx.store, handles(), NOON);
    const before = await all();
    await test.redis.del('env_vars:JWT_SECRET');
    await test.redis.set('env_vars:SMTP_HOST', 'other');
    const [daily] = await kept();
    const { etag, created, updated } = await restore({ id: daily!.id, dryRun: true });
    expect([created, updated]).toEqual([1, 1]);
    const done = await restore({ id: daily!.id, etag });
    expect(await all()).toEqual(before);
    // Its clock is the real one: a backup before a restore is kept for 30 days from now.
    const { items } = await listBackups(test.ctx, { limit: 10 });
    expect(await allPages((page) => listBackups(test.ctx, page), 1)).toEqual(items);
    const replaced = items.find(({ kind }) => kind === 'before-restore')!;
    expect(replaced.variables).toBe(5);
    expect(await test.storeRedis.ttl(`keyward:env-backup:main:${replaced.id}`)).toBeGreaterThan(29 * 86_400);
    await restore({ id: replaced.id });
    expect(await test.redis.get('env_vars:SMTP_HOST')).toBe('other');
    const entries = await listEntries(test.ctx.store, { action: 'env.restore' });
    expect(entries.items.find(({ id }) => id === done.auditId)).toMatchObject({
      target: `backup ${daily!.id}`,
      before: { backup: replaced.id },
      after: { created: 1, updated: 1 },
    });
  });

  it('that were altered or moved to another connection are refused', async () => {
    await test.redis.set('env_vars:DEBUG', 'true');
    await backUpDaily(test.ctx.store, handles(), NOON);
    const [daily] = await kept();
    const key = `keyward:env-backup:main:${daily!.id}`;
    const sealed = (await test.storeRedis.getBuffer(key))!;
    await test.storeRedis.set(`keyward:env-backup:other:${daily!.id}`, sealed);
    const other = { ...test.handle, config: { ...test.handle.config, id: 'other' } };
    expect((await problemOf(restore({ id: daily!.id }, other))).status).toBe(400);
    for (const bad of [sealed.subarray(0, -1), Buffer.concat([sealed, Buffer.from('x')]), Buffer.from('x')]) {
      await test.storeRedis.set(key, bad);
      const problem = await problemOf(restore({ id: daily!.id }));
      expect([problem.status, problem.message]).toEqual([400, expect.stringContaining('altered')]);
    }
    for (const id of ['../x', '*', 'a'.repeat(90)])
      expect((await problemOf(restore({ id }))).status).toBe(404);
  });

  it('hold no plaintext value', async () => {
    await fill();
    await backUpDaily(test.ctx.store, handles(), NOON);
    for (const key of await test.storeRedis.keys('keyward:env-backup*')) {
      const type = await test.storeRedis.type(key);
      const text =
        type === 'hash'
          ? JSON.stringify(await test.storeRedis.hgetall(key))
          : (await test.storeRedis.getBuffer(key))!.toString('latin1');
      for (const value of [SECRET, Buffer.from(SECRET).toString('base64'), 'JWT_SECRET', 'a.example.org'])
        expect(text).not.toContain(value);
    }
  });
});

it('changes nothing if Redis becomes unreachable between reading and writing', { tags: 'long' }, async () => {
  const server = await startRedis();
  const handle = openConnection({ ...test.handle.config, id: 'frail', url: server.url });
  try {
    await fill();
    const { file } = await backUp();
    const { reader } = handle;
    let reads = 0;
    const readMany = async (commands: never) => {
      const replies = await reader.readMany(commands);
      reads += 1;
      await server.stop();
      return replies;
    };
    const frail = { ...handle, reader: { ...reader, readMany: readMany as typeof reader.readMany } };
    const problem = await problemOf(restore({ file, passphrase: PASSPHRASE }, frail));
    expect([problem.status, problem.extensions.connection, reads]).toEqual([503, 'frail', 1]);
    const { items } = await listEntries(test.ctx.store, { action: 'env.restore' });
    expect(items).toMatchObject([{ connection: 'frail', outcome: 'failed' }]);
  } finally {
    handle.topology.close();
    await server.stop();
  }
});
