import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createUser, updateUser } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import { listEntries } from '@/lib/audit/reads';
import type { Command } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import type { Contract } from '@/lib/contract';
import { registerScheduled, scheduledOf } from '@/lib/jobs/schedule';
import { keyId } from '@/lib/keyspace/display';
import { connections } from '@/lib/redis/connections';
import { DAY, iso, MINUTE } from '@/lib/time';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { executeDue } from '@/scripts/testing/scheduled';
import { annotateBans } from './annotate';
import { addToBlacklist, removeFromBlacklist } from './commands';
import { banEndings } from './lift';
import { listBlacklist } from './reads';
import { guardContracts } from './schema';

const BLACKLIST = 'BlacklistIPsSet';

let test: TestContext;
let by: Actor;
beforeAll(async () => {
  test = await testContext({ apps: ['hawk'], hawk: { protectedIps: ['10.0.0.0/8'] } });
  connections().set('main', test.handle);
  registerScheduled(banEndings);
});
beforeEach(async () => {
  await test.empty();
  const admin = async (email: string) => {
    const fields = { email, name: 'Ann', role: 'admin', passwordHash: '-' } as const;
    const created = await createUser(test.ctx.store, fields, { now: Date.now() });
    if (!created.ok) throw new Error(created.reason);
    return created.user;
  };
  // A second admin: the role of the last one cannot be changed.
  await admin('bob@example.org');
  const { id, email, name, role } = await admin('ann@example.org');
  by = { kind: 'user', id, email, name, role };
});
afterAll(() => test.close());

const run = <C extends Contract>(
  command: Command<C>,
  raw: object,
  more: { actor?: Actor; address?: string } = {},
) => runCommand(command, { actor: by, requestId: randomUUID(), connection: test.handle, raw, ...more });

const undo = async <C extends Contract>(command: Command<C>, { auditId }: { auditId: string | null }) =>
  command.undo!(test.as({ actor: by }), (await readUndo(test.ctx.store, auditId!))!);

const members = async () => (await test.redis.smembers(BLACKLIST)).sort();
const list = async (raw: object = {}) => {
  const input = guardContracts.blacklistList.input.parse(raw);
  const { items } = guardContracts.blacklistList.result.parse(await listBlacklist(test.ctx, input));
  return new Map(items.map((item) => [item.ip, item]));
};
const planned = () => scheduledOf(test.ctx.store, 'main');
const due = (now: number) => executeDue(test.ctx.store, now);

const soon = () => Date.now() + 10 * MINUTE;

describe('a ban with an end', () => {
  it('is lifted at its end under the name of the user who set it, with an audit entry', async () => {
    await test.redis.sadd(BLACKLIST, '9.9.9.9');
    const end = soon();
    const ips = ['1.1.1.1', '2.2.2.2', '9.9.9.9', 'junk'];
    const added = await run(addToBlacklist, { ips, note: 'flood', expiresAt: iso(end) });
    expect(added).toMatchObject({ added: 2, expiresAt: iso(end) });
    const rows = await list();
    expect(rows.get('1.1.1.1')).toMatchObject({
      note: 'flood',
      author: 'ann@example.org',
      expiresAt: iso(end),
    });
    expect(rows.get('9.9.9.9')).toMatchObject({ note: null, author: null, expiresAt: null, bannedAt: null });
    expect(await due(end - 1)).toBe(0);
    expect(await due(end)).toBe(1);
    expect(await members()).toEqual(['9.9.9.9']);
    expect(await planned()).toEqual([]);
    const left = await test.storeRedis.keys('keyward:ban*');
    expect(left).toEqual([]);
    const { items } = await listEntries(test.ctx.store);
    expect(items[0]).toMatchObject({
      action: 'guard.blacklist.remove',
      actor: expect.stringContaining('ann@example.org'),
      reason: 'The ban ended.',
      outcome: 'succeeded',
    });
  });

  it('that was lifted and made again meanwhile is not lifted', async () => {
    const end = soon();
    await run(addToBlacklist, { ips: ['1.1.1.1', '2.2.2.2', '3.3.3.3'], expiresAt: iso(end) });
    await run(removeFromBlacklist, { ips: ['1.1.1.1'] });
    await run(addToBlacklist, { ips: ['1.1.1.1'] });
    // Lifted outside the console, and banned again here.
    await test.redis.srem(BLACKLIST, '2.2.2.2');
    await run(addToBlacklist, { ips: ['2.2.2.2'] });
    await due(end);
    expect(await members()).toEqual(['1.1.1.1', '2.2.2.2']);
  });

  it('lifts the entry it belongs to and no other spelling of it', async () => {
    const spelled = ['2001:DB8::1', ' 1.2.3.4'];
    await test.redis.sadd(BLACKLIST, ...spelled, '2001:db8::1', '1.2.3.4');
    const memberIds = spelled.map((text) => keyId(Buffer.from(text)));
    const end = soon();
    await run(annotateBans, { memberIds, expiresAt: iso(end) });
    await due(end);
    expect(await members()).toEqual(['1.2.3.4', '2001:db8::1']);
  });

  it('is not undone once the address was banned again', async () => {
    const added = await run(addToBlacklist, { ips: ['1.1.1.1', '2.2.2.2'] });
    await run(removeFromBlacklist, { ips: ['1.1.1.1'] });
    const before = Date.now();
    await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(before);
    await run(addToBlacklist, { ips: ['1.1.1.1'], note: 'keep' });
    const why = 'Banned again since.';
    const taken = { undone: 1, conflicts: [{ what: '1.1.1.1', why }] };
    expect(await undo(addToBlacklist, added)).toEqual(taken);
    expect((await list()).get('1.1.1.1')).toMatchObject({ note: 'keep' });
  });

  it('cancels its scheduled work once no ban is left to lift', async () => {
    const added = await run(addToBlacklist, { ips: ['1.1.1.1', '2.2.2.2'], expiresAt: iso(soon()) });
    expect(await planned()).toMatchObject([{ target: '2 addresses', state: 'waiting' }]);
    await run(removeFromBlacklist, { ips: ['1.1.1.1'] });
    expect(await planned()).toHaveLength(1);
    expect(await undo(addToBlacklist, added)).toMatchObject({ undone: 1 });
    expect(await planned()).toEqual([]);
    await run(addToBlacklist, { ips: ['junk', '10.1.1.1'], expiresAt: iso(soon()) });
    expect(await planned()).toEqual([]);
    expect(await test.storeRedis.keys('keyward:ban*')).toEqual([]);
  });

  it('is restored with its note and its end when its lifting is undone', async () => {
    const end = soon();
    await run(addToBlacklist, { ips: ['1.1.1.1', '2.2.2.2'], note: 'flood', expiresAt: iso(end) });
    const removed = await run(removeFromBlacklist, { ips: ['1.1.1.1', '2.2.2.2'] });
    expect(await planned()).toEqual([]);
    expect(await undo(removeFromBlacklist, removed)).toEqual({ undone: 2, conflicts: [] });
    expect((await list()).get('2.2.2.2')).toMatchObject({ note: 'flood', expiresAt: iso(end) });
    await due(end);
    expect(await members()).toEqual([]);
  });

  it('that is restored after its end stays until somebody lifts it', async () => {
    const end = soon();
    await run(addToBlacklist, { ips: ['1.1.1.1'], note: 'flood', expiresAt: iso(end) });
    await due(end);
    const { items } = await listEntries(test.ctx.store);
    const later = test.as({ actor: by, now: () => end + 1 });
    await removeFromBlacklist.undo!(later, (await readUndo(test.ctx.store, items[0]!.id))!);
    expect((await list()).get('1.1.1.1')).toMatchObject({ note: 'flood', expiresAt: null });
  });

  it('is not lifted if the user lost the permission, and the list says why', async () => {
    const end = soon();
    await run(addToBlacklist, { ips: ['1.1.1.1'], expiresAt: iso(end) });
    expect((await updateUser(test.ctx.store, by.id, { role: 'support' })).ok).toBe(true);
    await due(end);
    expect(await members()).toEqual(['1.1.1.1']);
    expect((await list()).get('1.1.1.1')).toMatchObject({
      notLifted: expect.stringContaining('guard:write'),
    });
  });

  it('needs an end in the future, within a year', async () => {
    for (const expiresAt of [iso(Date.now() - 1), iso(Date.now() + 400 * DAY), 'tomorrow', null]) {
      const refused = run(addToBlacklist, { ips: ['1.1.1.1'], expiresAt });
      await expect(refused).rejects.toMatchObject({
        status: 400,
        extensions: { errors: [{ path: 'expiresAt' }] },
      });
    }
    expect(await members()).toEqual([]);
  });
});

describe('a dry run', () => {
  it('answers the result per line, warns about your own address and changes nothing', async () => {
    await test.redis.sadd(BLACKLIST, '9.9.9.9');
    const raw = { ips: ['1.1.1.1', '9.9.9.9', '10.0.0.1', '7.7.7.7', 'junk'], expiresAt: iso(soon()) };
    const own = { address: '7.7.7.7' };
    const preview = await run(addToBlacklist, { ...raw, dryRun: true }, own);
    expect(preview.items.map(({ status, warning }) => [status, warning !== null])).toEqual([
      ['added', false],
      ['already', false],
      ['protected', false],
      ['added', true],
      ['invalid', false],
    ]);
    expect(preview).toMatchObject({ added: 2, auditId: null });
    expect(await members()).toEqual(['9.9.9.9']);
    expect(await planned()).toEqual([]);
    expect(await listEntries(test.ctx.store)).toMatchObject({ items: [] });
    const { auditId, undoUntil, ...done } = await run(addToBlacklist, raw, own);
    expect({ ...done, auditId: null }).toEqual(preview);
  });
});

describe('a note', () => {
  it('and an end can be added to a ban made elsewhere, changed, and undone', async () => {
    await test.redis.sadd(BLACKLIST, '1.1.1.1', '2001:DB8::1');
    const end = soon();
    const input = { ips: ['1.1.1.1', '2001:DB8::1', '5.5.5.5'], note: 'by hand', expiresAt: iso(end) };
    const first = await run(annotateBans, input);
    expect(first).toMatchObject({ changed: 2, notThere: 1 });
    const memberIds = [Buffer.from('1.1.1.1').toString('base64url')];
    const second = await run(annotateBans, { memberIds, note: null });
    expect((await list()).get('1.1.1.1')).toMatchObject({ note: null, author: null, expiresAt: iso(end) });
    expect(await undo(annotateBans, second)).toEqual({ undone: 1, conflicts: [] });
    expect((await list()).get('1.1.1.1')).toMatchObject({ note: 'by hand', expiresAt: iso(end) });
    const third = await run(annotateBans, { memberIds, expiresAt: null });
    await due(end);
    expect(await members()).toEqual(['1.1.1.1']);
    expect((await undo(annotateBans, third)).undone).toBe(1);
    expect(await planned()).toHaveLength(1);
    await run(removeFromBlacklist, { ips: ['1.1.1.1'] });
    expect(await undo(annotateBans, first)).toMatchObject({ undone: 0, conflicts: [{}, {}] });
  });

  it('is stored as written, with secrets masked', async () => {
    const token = `eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(40)}.${'b'.repeat(43)}`;
    await run(addToBlacklist, { ips: ['1.1.1.1'], note: `stole ${token}` });
    expect((await list()).get('1.1.1.1')?.note).toMatch(/^stole /);
    const everything = JSON.stringify([
      await test.storeRedis.xrange('keyward:audit', '-', '+'),
      await test.storeRedis.hgetall('keyward:ban:main'),
    ]);
    expect(everything).not.toContain(token);
  });

  it.each([
    { ips: ['1.1.1.1'] },
    { note: 'x' },
    { ips: ['1.1.1.1'], memberIds: ['MQ'], note: 'x' },
    { ips: ['1.1.1.1'], note: 'x'.repeat(501) },
    { ips: [], note: 'x' },
    { memberIds: ['***'], note: 'x' },
    { ips: ['1.1.1.1'], note: 'x', ttl: 5 },
  ])('%# is refused', async (raw) => {
    await expect(run(annotateBans, raw)).rejects.toMatchObject({ status: 400 });
  });

  it('needs the permission to ban and a writable connection', async () => {
    const raw = { ips: ['1.1.1.1'], note: 'x' };
    for (const role of ['support', 'product', 'viewer'] as const)
      await expect(run(annotateBans, raw, { actor: testActor(role) })).rejects.toMatchObject({ status: 403 });
    const connection = { ...test.handle, config: { ...test.handle.config, readOnly: true } };
    const call = { actor: by, requestId: randomUUID(), connection, raw };
    await expect(runCommand(annotateBans, call)).rejects.toMatchObject({ status: 423 });
  });
});

describe('the list', () => {
  it('shows the requests of banned addresses, and which are protected or your own', async () => {
    await test.redis.sadd(BLACKLIST, '1.1.1.1', '2.2.2.2', '3.3.3.3', '10.0.0.1');
    await test.redis.hset('CurrentPeriodMap', {
      '1.1.1.1': 7,
      '2.2.2.2': 'x',
      '3.3.3.3': '9007199254740993',
    });
    const input = guardContracts.blacklistList.input.parse({});
    const { items } = await listBlacklist({ ...test.ctx, address: '3.3.3.3' }, input);
    const rows = items.map(({ ip, requests, requestsExact, own, protected: kept }) => [
      ip,
      requestsExact ?? requests,
      own,
      kept,
    ]);
    expect(rows.sort()).toEqual([
      ['1.1.1.1', 7, false, false],
      ['10.0.0.1', 0, false, true],
      ['2.2.2.2', null, false, false],
      ['3.3.3.3', '9007199254740993', true, false],
    ]);
    await test.redis.del('CurrentPeriodMap');
    await test.redis.set('CurrentPeriodMap', 'x');
    expect((await list()).get('1.1.1.1')?.requests).toBeNull();
  });
});
