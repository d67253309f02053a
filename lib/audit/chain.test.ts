import { spawn } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemActor } from '@/lib/actor';
import { newId } from '@/lib/ids';
import { closeStore, openStore, type Store, store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';
import { bundle } from '@/scripts/build.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { auditKeys, Chain, headMac } from './chain';
import { appendEvent, appendIntent, appendOutcome } from './log';
import { listEntries } from './reads';
import { limitAudit, trimAudit } from './retention';
import { verifyChain } from './verify';

let test: TestContext;
const more: Store[] = [];
beforeAll(async () => {
  test = await testContext();
});
// A fresh store each time: a process rightly remembers how far a log had come.
beforeEach(async () => {
  for (const each of more.splice(0)) each.close();
  closeStore();
  await test.empty();
});
afterAll(async () => {
  for (const each of more) each.close();
  await test.close();
});

const another = (): Store => {
  const opened = openStore(process.env.KEYWARD_STORE_URL!);
  more.push(opened);
  return opened;
};

const intent = (id = newId()) => ({
  id,
  actor: systemActor('somebody'),
  action: 'test.write',
  connection: 'main',
  target: 'thing',
  reason: 'because',
  input: { a: 1 },
  requestId: 'r',
});

/** Changes with their outcomes, so that entry 2n is an intent and 2n + 1 its outcome. */
const write = async (changes: number): Promise<string[]> => {
  const ids = Array.from({ length: changes }, () => newId());
  for (const id of ids) {
    await appendIntent(store(), intent(id));
    await appendOutcome(store(), { id, outcome: 'succeeded' });
  }
  return ids;
};

const { stream, head, base } = auditKeys;
const rows = () => test.storeRedis.xrange(stream, '-', '+');
const verify = () => verifyChain(another());

/** Replaces the stream by these rows: the only way to change one, and what an intruder would do. */
const rewrite = async (wanted: [string, string[]][]) => {
  await test.storeRedis.del(stream);
  for (const [id, fields] of wanted) await test.storeRedis.xadd(stream, id, ...fields);
};

describe('many writers at once', () => {
  const check = async (count: number) => {
    expect(await verify()).toEqual({ ok: true, entries: count, firstBadId: null, problem: null });
    expect(await test.storeRedis.xlen(stream)).toBe(count);
  };

  it('make one chain in one process', async () => {
    await Promise.all(Array.from({ length: 50 }, () => appendIntent(store(), intent())));
    await check(50);
  });

  it('make one chain from several that know nothing of each other', async () => {
    const started = performance.now();
    const chains = Array.from({ length: 5 }, () => new Chain(another()));
    const record = (i: number) => ({
      kind: 'outcome' as const,
      id: newId(),
      at: Date.now(),
      outcome: 'succeeded' as const,
      detail: String(i),
      before: null,
      after: null,
      undoUntil: null,
    });
    await Promise.all(
      chains.flatMap((chain) => Array.from({ length: 50 }, (_, i) => chain.append(record(i)))),
    );
    // One at a time, each in a batch of its own: the hardest case of all.
    await Promise.all(
      chains.map(async (chain) => {
        for (let i = 0; i < 20; i++) await chain.append(record(i));
      }),
    );
    await check(350);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('make one chain from several processes', { tags: 'long' }, async () => {
    const { file } = await bundle('scripts/testing/audit-writer.ts');
    const started = performance.now();
    const ends = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, [file, '50'], { stdio: 'inherit', env: process.env });
      return new Promise((resolve) => child.once('exit', resolve));
    });
    expect(await Promise.all(ends)).toEqual([0, 0, 0, 0]);
    expect(performance.now() - started).toBeLessThan(15_000);
    await check(200);
  });

  it('are rejected while the store cannot take them, and continue when it can', async () => {
    const gone = new Chain(openStore('redis://127.0.0.1:1'));
    const record = { kind: 'undone' as const, id: newId(), at: 1, by: newId() };
    const refused = await Promise.allSettled([gone.append(record), gone.append(record)]);
    for (const each of refused)
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'store_unavailable', status: 503 } });
    await test.storeRedis.config('SET', 'maxmemory', '1');
    await expect(appendIntent(store(), intent())).rejects.toMatchObject({ code: 'store_unavailable' });
    await test.storeRedis.config('SET', 'maxmemory', '0');
    await appendIntent(store(), intent());
    await check(1);
  });
});

describe('verification', () => {
  it('finds nothing in an empty log, nor in a whole one', async () => {
    expect(await verify()).toEqual({ ok: true, entries: 0, firstBadId: null, problem: null });
    await write(3);
    expect(await verify()).toEqual({ ok: true, entries: 6, firstBadId: null, problem: null });
  });

  it('finds a changed entry, whatever was changed in it', async () => {
    const ids = await write(4);
    const whole = await rows();
    const [id, fields] = whole[4]!;
    const changes: string[][] = [
      fields.map((field, i) => (i === 1 ? field.replace('somebody', 'somebody else') : field)),
      fields.map((field, i) => (i === 1 ? field.replace('{', '{ ') : field)),
      fields.map((field, i) => (i === 3 ? field.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')) : field)),
    ];
    for (const changed of changes) {
      await rewrite(whole.map((row, i) => (i === 4 ? [id, changed] : row)));
      expect(await verify()).toMatchObject({ ok: false, entries: 4, firstBadId: ids[2] });
    }
    for (const garbage of ['no json', '{}', 'null', '17', '[]']) {
      await rewrite(whole.map((row, i) => (i === 4 ? [id, ['entry', garbage, ...fields.slice(2)]] : row)));
      const verdict = await verify();
      expect(verdict).toMatchObject({ ok: false, entries: 4 });
      expect(verdict.firstBadId).not.toBeNull();
      expect((await listEntries(store())).items).toHaveLength(3);
    }
    await rewrite(whole);
    expect(await verify()).toMatchObject({ ok: true, entries: 8 });
  });

  it('finds an entry removed in the middle', async () => {
    const ids = await write(4);
    await test.storeRedis.xdel(stream, (await rows())[4]![0]);
    expect(await verify()).toMatchObject({
      ok: false,
      entries: 4,
      firstBadId: ids[2],
      problem: expect.stringContaining('missing'),
    });
  });

  it('finds entries in another order', async () => {
    const ids = await write(4);
    const whole = await rows();
    const [a, b] = [whole[2]!, whole[4]!];
    await rewrite(
      whole.map((row, i): [string, string[]] => (i === 2 ? [a[0], b[1]] : i === 4 ? [b[0], a[1]] : row)),
    );
    expect(await verify()).toMatchObject({ ok: false, entries: 2, firstBadId: ids[2] });
  });

  it('finds a cut tail, of one entry or of all', async () => {
    const ids = await write(4);
    await test.storeRedis.xdel(stream, (await rows())[7]![0]);
    expect(await verify()).toMatchObject({ ok: false, entries: 7, firstBadId: ids[3] });
    await test.storeRedis.del(stream);
    expect(await verify()).toMatchObject({ ok: false, entries: 0, firstBadId: ids[3] });
  });

  it('finds a head made to fit a cut tail', async () => {
    const ids = await write(4);
    const whole = await rows();
    await test.storeRedis.xdel(stream, whole[7]![0], whole[6]![0]);
    const [, fields] = whole[5]!;
    await test.storeRedis.hset(head, { digest: fields[3]!, seq: 6 });
    expect(await verify()).toMatchObject({ ok: false, firstBadId: ids[2], problem: 'the head was changed' });
    await test.storeRedis.hset(head, { mac: 'é'.repeat(43) });
    expect(await verify()).toMatchObject({ ok: false, problem: 'the head was changed' });
  });

  it('finds a head that belongs to another chain', async () => {
    const ids = await write(2);
    const other = { digest: 'x'.repeat(43), seq: 4 };
    await test.storeRedis.hset(head, { ...other, id: 'x', mac: headMac('head', other, 'x') });
    expect(await verify()).toMatchObject({ ok: false, firstBadId: ids[1] });
  });

  it('finds a missing head', async () => {
    const ids = await write(2);
    await test.storeRedis.del(head);
    expect(await verify()).toMatchObject({ ok: false, firstBadId: ids[1], problem: 'the head is missing' });
  });

  it('finds a removed beginning, also with a forged record of retention', async () => {
    const ids = await write(4);
    const whole = await rows();
    await test.storeRedis.xtrim(stream, 'MINID', whole[2]![0]);
    expect(await verify()).toMatchObject({ ok: false, entries: 0, firstBadId: ids[1] });
    await test.storeRedis.hset(base, { digest: whole[1]![1][3]!, seq: 2, mac: 'x'.repeat(43) });
    expect(await verify()).toMatchObject({ ok: false, firstBadId: ids[3] });
  });

  it('finds that all was emptied, as long as a process lives that knows better', async () => {
    await write(3);
    await test.empty();
    expect(await verifyChain(store())).toMatchObject({ ok: false });
    await write(1);
    expect(await verifyChain(store())).toMatchObject({ ok: false });
  });

  it('finds an outcome nobody is led to any more', async () => {
    const ids = await write(3);
    await test.storeRedis.hdel(auditKeys.pointer(ids[1]!), 'outcome');
    expect(await verify()).toMatchObject({ ok: false, firstBadId: ids[1] });
    const elsewhere = await test.storeRedis.hget(auditKeys.pointer(ids[2]!), 'outcome');
    await test.storeRedis.hset(auditKeys.pointer(ids[1]!), 'outcome', elsewhere!);
    const shown = (await listEntries(store())).items.find((entry) => entry.id === ids[1]);
    expect(shown?.outcome).toBe('pending');
  });

  it('is not confused by what is written meanwhile', async () => {
    await write(20);
    const writing = Promise.all(Array.from({ length: 200 }, () => appendIntent(store(), intent())));
    for (let i = 0; i < 10; i++) expect(await verifyChain(store())).toMatchObject({ ok: true });
    await writing;
    expect(await verify()).toMatchObject({ ok: true, entries: 240 });
  });
});

describe('retention', () => {
  const now = 1_800_000_000_000;

  /** A log with one entry an hour for `hours` hours until `now`, as if written then. */
  const writeHistory = async (hours: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let i = 0; i < hours; i++) {
      const event = { ...intent(), outcome: 'succeeded' as const, detail: null };
      ids.push(event.id);
      await appendEvent(store(), event, now - (hours - i) * (DAY / 24));
    }
    // Their place in the stream says when they were written: moved to where it would be.
    const aged = (await rows()).map(([, fields]): [string, string[]] => [
      `${(JSON.parse(fields[1]!) as { at: number }).at}-0`,
      fields,
    ]);
    await rewrite(aged);
    for (const [streamId, fields] of aged)
      await test.storeRedis.hset(auditKeys.pointer(JSON.parse(fields[1]!).id), 'intent', streamId);
    return ids;
  };

  it('forgets what is older, and the rest still verifies and grows', async () => {
    const ids = await writeHistory(96);
    expect(await verify()).toMatchObject({ ok: true, entries: 96 });
    expect(await trimAudit(store(), 3, now)).toBe(24);
    expect(await verify()).toMatchObject({ ok: true, entries: 72 });
    expect(await test.storeRedis.exists(auditKeys.pointer(ids[23]!), auditKeys.pointer(ids[24]!))).toBe(1);
    expect(await trimAudit(store(), 3, now)).toBe(0);
    expect(await trimAudit(store(), 1, now)).toBe(48);
    expect(await verify()).toMatchObject({ ok: true, entries: 24 });
    expect((await listEntries(store(), { limit: 1000 })).items).toHaveLength(24);
    expect(await trimAudit(store(), 1, now + 10 * DAY)).toBe(24);
    expect(await verify()).toMatchObject({ ok: true, entries: 0 });
    await appendIntent(store(), intent());
    expect(await verify()).toMatchObject({ ok: true, entries: 1 });
  });

  it('is the same with several at once, of different opinions', async () => {
    await writeHistory(96);
    const counts = await Promise.all([1, 2, 3, 2, 1].map((days) => trimAudit(another(), days, now)));
    expect(counts.reduce((a, b) => a + b)).toBe(72);
    expect(await verify()).toMatchObject({ ok: true, entries: 24 });
  });

  it('deletes all that is older, though another process deletes a part between its reads', async () => {
    await writeHistory(96);
    const own = another();
    let isFirst = true;
    const raced: Store = {
      ...own,
      use: async (work) => {
        const result = await own.use(work);
        if (isFirst) {
          isFirst = false;
          expect(await trimAudit(another(), 3, now)).toBe(24);
        }
        return result;
      },
    };
    expect(await trimAudit(raced, 1, now)).toBe(48);
    expect(await verify()).toMatchObject({ ok: true, entries: 24 });
  });

  it('still shows a removal after it, and an older record of it', async () => {
    const ids = await writeHistory(96);
    await trimAudit(store(), 3, now);
    const before = await test.storeRedis.hgetall(base);
    await test.storeRedis.xtrim(stream, 'MINID', (await rows())[10]![0]);
    expect(await verify()).toMatchObject({ ok: false, firstBadId: ids[34] });
    await trimAudit(store(), 2, now);
    await test.storeRedis.hset(base, before);
    expect(await verify()).toMatchObject({ ok: false });
  });

  it('does not take what is left of a change that it cut in two for a removal', async () => {
    await write(3);
    expect(await limitAudit(store(), Date.now() + 31 * DAY, 3)).toBe(3);
    expect(await verify()).toMatchObject({ ok: true, entries: 4 });
  });

  it('forgets the oldest of a log that is too large, never what is younger than 30 days, and records it', {
    tags: 'long',
  }, async () => {
    await writeHistory(60 * 24);
    expect(await limitAudit(store(), now, 1440)).toBe(0);
    const counts = await Promise.all([1, 2, 3].map(() => limitAudit(another(), now, 1000)));
    expect(counts.reduce((a, b) => a + b)).toBe(440);
    const { items } = await listEntries(store(), { action: 'audit.forget' });
    expect(items).toMatchObject([
      {
        actor: 'Keyward',
        outcome: 'succeeded',
        detail: expect.stringMatching(/^The oldest 440 rows .* 1000\.$/),
      },
    ]);
    expect(await verify()).toMatchObject({ ok: true, entries: 1001 });
    expect(await limitAudit(store(), now, 10)).toBe(1000 - 30 * 24);
    expect(await verify()).toMatchObject({ ok: true, entries: 30 * 24 + 2 });
  });

  it('keeps what is broken, as evidence', async () => {
    const ids = await writeHistory(96);
    const whole = await rows();
    await rewrite(
      whole.map(([id, fields], i) => [id, i === 5 ? ['entry', '{"kind":"x"}', ...fields.slice(2)] : fields]),
    );
    expect(await trimAudit(store(), 1, now)).toBe(5);
    expect(await verify()).toMatchObject({ ok: false, entries: 0 });
    expect(await test.storeRedis.xlen(stream)).toBe(91);
    expect(ids).toHaveLength(96);
  });

  it('forgets a long log in pieces', async () => {
    await writeHistory(1300);
    expect(await trimAudit(store(), 1, now)).toBe(1276);
    expect(await verify()).toMatchObject({ ok: true, entries: 24 });
  });
});
