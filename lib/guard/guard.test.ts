import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import type { Command } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import type { Contract } from '@/lib/contract';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { openStore } from '@/lib/redis/store';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { withRepeatedElements } from '@/scripts/testing/repeated-elements';
import { turnsDuring } from '@/scripts/testing/turns';
import { addToBlacklist, removeFromBlacklist } from './commands';
import { planBans } from './plan';
import { blockProjects, unblockProjects } from './project-commands';
import { listBlacklist, listBlockedProjects } from './reads';
import { type BlacklistedIp, type BlockedProject, guardContracts } from './schema';

const BLACKLIST = 'Custom:Blacklist[*]';
const PROJECTS = 'DisabledProjectsSet';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({
    apps: ['hawk'],
    hawk: { blacklistSet: BLACKLIST, protectedIps: ['10.0.0.0/8', '::1'], blockedPeriodMs: 1500 },
  });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const run = <C extends Contract>(command: Command<C>, raw: object) =>
  runCommand(command, { actor: testActor('admin'), requestId: randomUUID(), connection: test.handle, raw });

const undo = async <C extends Contract>(command: Command<C>, { auditId }: { auditId: string | null }) =>
  command.undo!(test.ctx, (await readUndo(test.ctx.store, auditId!))!);

const members = async (key: string) => (await test.redis.smembers(key)).sort();

const blacklist = async (raw: object = {}): Promise<BlacklistedIp[]> => {
  const input = guardContracts.blacklistList.input.parse(raw);
  const found: BlacklistedIp[] = [];
  let cursor: string | undefined;
  do {
    const page = await listBlacklist(test.ctx, { ...input, cursor });
    expect(page.items.length).toBeLessThanOrEqual(input.limit);
    found.push(...guardContracts.blacklistList.result.parse(page).items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
};

const projects = async (): Promise<BlockedProject[]> => {
  const input = guardContracts.projectsList.input.parse({});
  return guardContracts.projectsList.result.parse(await listBlockedProjects(test.ctx, input)).items;
};

const id = (n: number) => n.toString(16).padStart(24, '0');
describe('the blacklist', () => {
  it('reads a long list in batches, so that other work can go on', async () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    let plan: Awaited<ReturnType<typeof planBans>> | null = null;
    const read = async () => {
      plan = await planBans(lines, () => false);
    };
    expect(await turnsDuring(read)).toBeGreaterThanOrEqual(19);
    expect(plan!).toMatchObject({ ips: lines });
  });

  it('shows every entry, and why one never matches', async () => {
    await test.redis.sadd(
      BLACKLIST,
      '1.2.3.4',
      '2001:db8::1',
      '2001:DB8::2',
      '10.0.0.0/8',
      '1.2.3.4:80',
      'fe80::1%eth0',
      '1.1.1.1, 2.2.2.2',
      ' 5.6.7.8',
      'junk',
      '<script>',
      '',
      Buffer.from([0xff, 0x00]),
    );
    const found = await blacklist();
    const rows = found.map(({ member, ip, neverMatches }) => [member, ip, neverMatches !== null]);
    expect(rows.sort()).toEqual(
      [
        ['1.2.3.4', '1.2.3.4', false],
        ['2001:db8::1', '2001:db8::1', false],
        ['2001:DB8::2', '2001:db8::2', true],
        ['10.0.0.0/8', null, true],
        ['1.2.3.4:80', null, true],
        ['fe80::1%eth0', null, true],
        ['1.1.1.1, 2.2.2.2', null, false],
        ['\\x205.6.7.8', null, true],
        ['junk', null, true],
        ['<script>', null, true],
        ['', null, true],
        ['\\xff\\x00', null, true],
      ].sort(),
    );
    const { removed } = await run(removeFromBlacklist, { memberIds: found.map(({ memberId }) => memberId) });
    expect(removed).toBe(12);
    expect(await test.redis.exists(BLACKLIST)).toBe(0);
  });

  it.each([
    [90, 7],
    [90, 1000],
    [2500, 100],
    [2500, 1000],
  ])(
    'pages %i entries by %i, each once, and searches literally',
    { tags: ['long'] },
    async (total, limit) => {
      const ips = Array.from({ length: total }, (_, i) => `77.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
      await test.redis.sadd(BLACKLIST, ...ips, 'a[*]b');
      const found = await blacklist({ limit });
      expect(found.map(({ member }) => member).sort()).toEqual([...ips, 'a[*]b'].sort());
      expect((await blacklist({ q: '[*]' })).map(({ member }) => member)).toEqual(['a[*]b']);
      expect((await blacklist({ q: '77.0.0.7', limit: 5 })).length).toBe(total > 79 ? 11 : 1);
      const page = await listBlacklist(test.ctx, { limit: 1 });
      expect(page).toMatchObject({ total: total + 1, inForceWithinSeconds: 15 });
    },
  );

  it('lists each entry once, though the server returns members twice and the set shrinks', {
    tags: ['long'],
  }, async () => {
    const ips = Array.from({ length: 3000 }, (_, i) => `9.9.${i >> 8}.${i & 255}`);
    await test.redis.sadd(BLACKLIST, ...ips);
    let examined = 0;
    const twice = await withRepeatedElements(test, () =>
      allPages(async (asked) => {
        const listed = await listBlacklist(test.ctx, asked);
        examined += listed.examined;
        return listed;
      }, 70),
    );
    expect(twice.map(({ ip }) => ip).sort()).toEqual([...ips].sort());
    expect(examined).toBe(3000);
    const shown: string[] = [];
    const shrunk = await allPages(async (asked) => {
      const listed = await listBlacklist(test.ctx, asked);
      shown.push(...listed.items.map(({ ip }) => ip!));
      // The members of the last page stay: a table that shrinks returns those again.
      const stays = new Set(shown.slice(-60));
      if (shown.length === 1050) await test.redis.srem(BLACKLIST, ...ips.filter((ip) => !stays.has(ip)));
      return listed;
    }, 70);
    expect(await test.redis.scard(BLACKLIST)).toBe(60);
    expect(new Set(shrunk.map(({ ip }) => ip)).size).toBe(shrunk.length);
  });

  it('of the wrong type is a 409 for reads and changes', async () => {
    await test.redis.set(BLACKLIST, 'x');
    await test.redis.hset(PROJECTS, 'a', '1');
    const tries = [
      listBlacklist(test.ctx, { limit: 10 }),
      listBlockedProjects(test.ctx, { limit: 10, q: 'a' }),
      run(addToBlacklist, { ips: ['1.2.3.4'] }),
      run(removeFromBlacklist, { ips: ['1.2.3.4'] }),
      run(blockProjects, { projectIds: [id(1)] }),
      run(unblockProjects, { projectIds: [id(1)] }),
    ];
    for (const refused of await Promise.all(tries.map(problemOf)))
      expect([refused.status, refused.message]).toEqual([409, expect.stringContaining('is not a set')]);
  });

  it('is empty without a key, and a 404 without an error collector', async () => {
    expect(await listBlacklist(test.ctx, { limit: 10 })).toMatchObject({
      items: [],
      nextCursor: null,
      total: 0,
    });
    const catalog = catalogFor(['qianxun']);
    const refused = (async () => listBlacklist({ ...test.ctx, catalog }, { limit: 10 }))();
    expect((await problemOf(refused)).status).toBe(404);
  });
});

describe('banning', () => {
  it('answers each line and bans the valid addresses', async () => {
    await test.redis.sadd(BLACKLIST, '9.9.9.9');
    const ips = [
      '1.2.3.4',
      ' 2001:DB8::1 ',
      '9.9.9.9',
      '1.2.3.4',
      '::ffff:1.2.3.4',
      '10.1.1.1',
      '::1',
      '5.5.5.0/24',
    ];
    const result = await run(addToBlacklist, { ips, reason: 'flood' });
    expect(result.items.map(({ ip, status }) => [ip, status])).toEqual([
      ['1.2.3.4', 'added'],
      ['2001:db8::1', 'added'],
      ['9.9.9.9', 'already'],
      ['1.2.3.4', 'already'],
      ['1.2.3.4', 'already'],
      ['10.1.1.1', 'protected'],
      ['::1', 'protected'],
      [null, 'invalid'],
    ]);
    expect(result.items.map(({ input }) => input)).toEqual(ips);
    expect(result).toMatchObject({ added: 2, inForceWithinSeconds: 15 });
    expect(await members(BLACKLIST)).toEqual(['1.2.3.4', '2001:db8::1', '9.9.9.9']);
    const notes = new Map((await blacklist()).map(({ ip, note, author }) => [ip, [note, author]]));
    expect(notes.get('1.2.3.4')).toEqual(['flood', 'admin@example.org']);
    expect(notes.get('9.9.9.9')).toEqual([null, null]);
  });

  it('is undone exactly: only what it added, with conflicts for what was removed meanwhile', async () => {
    await test.redis.sadd(BLACKLIST, '9.9.9.9');
    const result = await run(addToBlacklist, { ips: ['1.1.1.1', '2.2.2.2', '9.9.9.9'], reason: 'flood' });
    await test.redis.srem(BLACKLIST, '2.2.2.2');
    expect(await undo(addToBlacklist, result)).toEqual({
      undone: 1,
      conflicts: [{ what: '2.2.2.2', why: 'Already removed.' }],
    });
    expect(await members(BLACKLIST)).toEqual(['9.9.9.9']);
    expect(await test.storeRedis.hkeys('keyward:ban:main')).toEqual(['2.2.2.2']);
  });

  it('without new addresses offers no undo', async () => {
    const result = await run(addToBlacklist, { ips: ['junk', '10.0.0.1'] });
    expect(result).toMatchObject({ added: 0 });
    expect(result.undoUntil).toBeUndefined();
    expect(await test.redis.exists(BLACKLIST)).toBe(0);
  });

  it('takes 10 000 pasted lines with duplicates and rubbish', { tags: ['long'] }, async () => {
    const ips = Array.from({ length: 10_000 }, (_, i) => {
      if (i % 5 === 0) return `rubbish ${i}`;
      return i % 5 === 1 ? '8.8.8.8' : `99.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
    });
    const result = await run(addToBlacklist, { ips });
    const counts = { added: 0, already: 0, invalid: 0, protected: 0 };
    for (const { status } of result.items) counts[status] += 1;
    expect(counts).toEqual({ added: 6001, already: 1999, invalid: 2000, protected: 0 });
    expect(await test.redis.scard(BLACKLIST)).toBe(6001);
    expect(await undo(addToBlacklist, result)).toEqual({ undone: 6001, conflicts: [] });
    expect(await test.redis.exists(BLACKLIST)).toBe(0);
    expect(await test.storeRedis.exists('keyward:ban:main')).toBe(0);
  });

  it('refuses a very long line, and can remove a very long entry', async () => {
    const { items } = await run(addToBlacklist, { ips: ['1.2.3.4', 'x'.repeat(100_000)] });
    expect(items.map(({ status, input }) => [status, input.length])).toEqual([
      ['added', 7],
      ['invalid', 200],
    ]);
    await test.redis.sadd(BLACKLIST, `${'y'.repeat(3000)} 7`);
    const found = (await blacklist()).find(({ member }) => member.startsWith('y'))!;
    expect(found.member).toMatch(/^y{150}…y{48} 7$/);
    expect(await run(removeFromBlacklist, { memberIds: [found.memberId] })).toMatchObject({ removed: 1 });
  });

  it('records addresses and counts, and no other pasted text', async () => {
    await run(addToBlacklist, { ips: ['1.2.3.4'], reason: 'flood' });
    await run(addToBlacklist, { ips: ['hunter2-secret-token', '4.3.2.1'] });
    const { items } = await listEntries(test.ctx.store);
    expect(items).toMatchObject([
      {
        target: '2 addresses',
        after: { members: 2, added: 1, entries: ['4.3.2.1'] },
        before: { members: 1 },
      },
      { target: '1.2.3.4', reason: 'flood', action: 'guard.blacklist.add' },
    ]);
    expect(JSON.stringify(await test.storeRedis.xrange('keyward:audit', '-', '+'))).not.toContain('hunter2');
  });

  it('bans without notes if the store fails after the intent', async () => {
    const store = openStore('redis://127.0.0.1:1');
    try {
      const { result } = await addToBlacklist.run(
        { ...test.ctx, store },
        { ips: ['1.2.3.4'], dryRun: false },
      );
      expect(result.added).toBe(1);
      expect((await listBlacklist({ ...test.ctx, store }, { limit: 10 })).items).toMatchObject([
        { note: null },
      ]);
    } finally {
      store.close();
    }
  });
});

describe('lifting bans', () => {
  it('removes the exact text and the canonical spelling, and counts entries already gone', async () => {
    await test.redis.sadd(BLACKLIST, '2001:db8::1', '2001:DB8::1', '10.0.0.0/8', '1.2.3.4', '5.6.7.8');
    const ips = ['2001:DB8::1', '10.0.0.0/8', '::ffff:1.2.3.4', '1.2.3.4', '7.7.7.7'];
    expect(await run(removeFromBlacklist, { ips })).toMatchObject({ removed: 4, alreadyGone: 2 });
    expect(await members(BLACKLIST)).toEqual(['5.6.7.8']);
  });

  it('is undone exactly, with notes, also for bytes that are not text', async () => {
    await run(addToBlacklist, { ips: ['1.1.1.1', '2.2.2.2'], reason: 'flood' });
    const bytes = Buffer.from([0xff, 0x00, 0x0a]);
    await test.redis.sadd(BLACKLIST, bytes);
    const before = (await blacklist()).sort((a, b) => a.memberId.localeCompare(b.memberId));
    const result = await run(removeFromBlacklist, {
      memberIds: [...before.map(({ memberId }) => memberId), Buffer.from('gone').toString('base64url')],
    });
    expect(result).toMatchObject({ removed: 3, alreadyGone: 1 });
    expect(await test.storeRedis.exists('keyward:ban:main')).toBe(0);
    await test.redis.sadd(BLACKLIST, '2.2.2.2');
    expect(await undo(removeFromBlacklist, result)).toEqual({
      undone: 2,
      conflicts: [{ what: '2.2.2.2', why: 'Already added again.' }],
    });
    expect((await test.redis.smembersBuffer(BLACKLIST)).some((member) => member.equals(bytes))).toBe(true);
    expect((await blacklist()).find(({ ip }) => ip === '1.1.1.1')?.note).toBe('flood');
  });
});

describe('blocked projects', () => {
  it('are stored in lower case, with an answer for each', async () => {
    const upper = 'ABCDEF'.repeat(4);
    await test.redis.sadd(PROJECTS, id(1));
    const result = await run(blockProjects, { projectIds: [id(1), upper, upper.toLowerCase(), id(2)] });
    expect(result.items.map(({ status }) => status)).toEqual(['already', 'added', 'already', 'added']);
    expect(result).toMatchObject({ added: 2, already: 2, inForceWithinSeconds: 2 });
    expect(await members(PROJECTS)).toEqual([id(1), id(2), upper.toLowerCase()].sort());
    expect(await undo(blockProjects, result)).toEqual({ undone: 2, conflicts: [] });
    expect(await members(PROJECTS)).toEqual([id(1)]);
  });

  it('are named where their names are known', async () => {
    await test.redis.sadd(PROJECTS, id(1), id(2), 'not-one');
    const { items } = await listBlockedProjects(test.ctx, { limit: 10 }, (of) =>
      of === id(1) ? 'Shop' : null,
    );
    const names = new Map(items.map(({ member, name }) => [member, name]));
    expect([names.get(id(1)), names.get(id(2)), names.get('not-one')]).toEqual(['Shop', null, null]);
  });

  it('say who blocked them, when and why, also after an unblocking was undone', async () => {
    await test.redis.sadd(PROJECTS, id(1));
    const blocked = await run(blockProjects, { projectIds: [id(2)], reason: 'Ticket 7' });
    const shown = async () =>
      (await projects()).map(({ projectId, note, author, blockedAt, byKeyward }) => [
        projectId,
        note,
        author,
        blockedAt,
        byKeyward,
      ]);
    const second = [id(2), 'Ticket 7', expect.stringContaining('admin'), expect.stringMatching(/Z$/), true];
    const both = expect.arrayContaining([[id(1), null, null, null, false], second]);
    expect(await shown()).toEqual(both);
    const unblocked = await run(unblockProjects, { projectIds: [id(2)], confirm: test.handle.config.id });
    await test.redis.sadd(PROJECTS, id(2));
    expect(await shown()).toContainEqual([id(2), null, null, null, false]);
    await test.redis.srem(PROJECTS, id(2));
    await undo(unblockProjects, unblocked);
    expect(await shown()).toEqual(both);
    await undo(blockProjects, blocked);
    await test.redis.sadd(PROJECTS, id(2));
    expect(await shown()).toContainEqual([id(2), null, null, null, false]);
  });

  it('lists an entry that is not an id, removes it by member id, and undoes that', async () => {
    await test.redis.sadd(PROJECTS, id(1), 'ABCDEF'.repeat(4), 'not an id', Buffer.from([0xfe]));
    const found = await projects();
    expect(found.map(({ member, projectId, valid }) => [member, projectId, valid]).sort()).toEqual(
      [
        [id(1), id(1), true],
        ['ABCDEF'.repeat(4), 'ABCDEF'.repeat(4), false],
        ['not an id', null, false],
        ['\\xfe', null, false],
      ].sort(),
    );
    const memberIds = found.filter(({ projectId }) => projectId === null).map(({ memberId }) => memberId);
    const result = await run(unblockProjects, { memberIds });
    expect(result).toMatchObject({ removed: 2, alreadyGone: 0 });
    expect(await test.redis.scard(PROJECTS)).toBe(2);
    expect((await undo(unblockProjects, result)).undone).toBe(2);
    expect(await projects()).toHaveLength(4);
    const ids = ['ABCDEF'.repeat(4), id(7)];
    expect(await run(unblockProjects, { projectIds: ids })).toMatchObject({ removed: 1, alreadyGone: 1 });
  });
});

describe('a search', () => {
  const calls = async () =>
    Number(/cmdstat_sscan:calls=(\d+)/.exec(await test.redis.info('commandstats'))?.[1] ?? 0);
  const found = async (raw: object) => {
    const input = guardContracts.projectsList.input.parse(raw);
    return listBlockedProjects(test.ctx, input);
  };

  it('for a complete project id looks up each spelling without a scan', async () => {
    const upper = 'ABCDEF'.repeat(4);
    await test.redis.sadd(PROJECTS, ...Array.from({ length: 5000 }, (_, i) => id(i)), upper);
    const before = await calls();
    expect(await found({ q: id(4321) })).toMatchObject({
      items: [{ projectId: id(4321) }],
      nextCursor: null,
    });
    expect(await found({ q: upper.toLowerCase() })).toMatchObject({
      items: [{ member: upper, valid: false }],
    });
    expect(await found({ q: id(9999) })).toMatchObject({ items: [], nextCursor: null });
    expect(await calls()).toBe(before);
  });

  it('lists the entry that equals the text first, and once', { tags: ['long'] }, async () => {
    const ips = Array.from({ length: 3000 }, (_, i) => `7.7.${i >> 8}.${i & 255}`);
    await test.redis.sadd(BLACKLIST, ...ips, '7.7', '7.70.0.1');
    for (const limit of [1000, 1]) {
      const all = await blacklist({ q: '7.7', limit });
      expect(all[0]?.member).toBe('7.7');
      expect(all.map(({ member }) => member).sort()).toEqual([...ips, '7.7', '7.70.0.1'].sort());
      if (limit === 1000) await test.redis.srem(BLACKLIST, ...ips.slice(20));
      ips.splice(20);
    }
  });
});

describe('bad input', () => {
  it.each([
    [addToBlacklist, { ips: [] }],
    [addToBlacklist, { ips: '1.2.3.4' }],
    [addToBlacklist, { ips: ['1.2.3.4'], ttl: 5 }],
    [addToBlacklist, { ips: Array(10_001).fill('1.2.3.4') }],
    [removeFromBlacklist, {}],
    [removeFromBlacklist, { ips: ['1.2.3.4'], memberIds: ['MQ'] }],
    [removeFromBlacklist, { memberIds: ['***'] }],
    [removeFromBlacklist, { memberIds: ['MR'] }],
    [blockProjects, { projectIds: ['abc'] }],
    [blockProjects, { projectIds: [`${id(1)}0`] }],
    [unblockProjects, { projectIds: ['z'.repeat(24)] }],
  ])('%# is 400 and changes nothing', async (command, raw) => {
    await test.redis.sadd(BLACKLIST, '1');
    expect((await problemOf(run(command as never, raw))).status).toBe(400);
    expect(await members(BLACKLIST)).toEqual(['1']);
  });

  it('is a cursor of another list', async () => {
    expect((await problemOf(listBlacklist(test.ctx, { limit: 1, cursor: '0:0' }))).status).toBe(400);
  });
});

it('needs the typed confirmation on production for several entries and for any removal', async () => {
  const config = { ...test.handle.config, environment: 'production' as const };
  const call = (raw: object) => ({
    actor: testActor('admin'),
    requestId: randomUUID(),
    connection: { ...test.handle, config },
    raw,
  });
  const refused = { code: 'confirmation_required' };
  expect(await runCommand(addToBlacklist, call({ ips: ['1.2.3.4'] }))).toMatchObject({ added: 1 });
  await expect(runCommand(addToBlacklist, call({ ips: ['1.2.3.4', '1.2.3.5'] }))).rejects.toMatchObject(
    refused,
  );
  await expect(runCommand(removeFromBlacklist, call({ ips: ['1.2.3.4'] }))).rejects.toMatchObject(refused);
  await expect(runCommand(unblockProjects, call({ projectIds: [id(1)] }))).rejects.toMatchObject(refused);
  const confirmed = call({ ips: ['1.2.3.4'], confirm: 'main' });
  expect(await runCommand(removeFromBlacklist, confirmed)).toMatchObject({ removed: 1 });
});
