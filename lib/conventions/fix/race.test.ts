import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '@/lib/errors';
import { renameBack } from '@/lib/families/rename-back';
import type { JobContext } from '@/lib/jobs/define';
import type { SnapshotEntry } from '@/lib/snapshots/snapshots';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { UNFENCED } from '@/scripts/testing/job';
import type { FixableRule } from '../schema';
import { basisOf } from './basis';
import { readFacts } from './facts';
import { FixCounts } from './fix-counts';
import type { FixBatch } from './fixing';
import { removeKeys } from './remove';
import { HOLDS_SECRET, renameKeys } from './rename';
import { setTtls } from './set-ttls';
import { NO_COPY, ONLY_COPY, trimKeys } from './trim';

let test: TestContext;

beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'qianxun'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

interface Beside {
  keys: string[];
  /** Runs after the keys were found, and before they are read once more. */
  decided?: () => Promise<unknown>;
  /** Runs after what undo needs is stored, and before the keys are changed. */
  stored?: (entries: readonly SnapshotEntry[]) => Promise<unknown>;
  dryRun?: boolean;
  withoutUndo?: boolean;
}

const unused = async () => undefined;

/** Fixes keys while an application writes. */
const fixBeside = async (rule: FixableRule, fix: FixBatch, beside: Beside) => {
  const { keys, decided = unused, stored = unused, dryRun = false, withoutUndo = false } = beside;
  const { signal } = new AbortController();
  const job = { jobId: 'j', signal, isFaster: () => false, ...UNFENCED, progress: async () => undefined };
  const ctx: JobContext = { ...test.ctx, ...job };
  const basis = await basisOf(ctx, rule);
  const facts = await readFacts(
    ctx,
    rule,
    keys.map((key) => Buffer.from(key)),
  );
  const faults = facts.map((each) => ({ facts: each, detail: basis.faultOf(each)! }));
  expect(faults.every(({ detail }) => detail)).toBe(true);
  await decided();
  const counts = new FixCounts(rule, dryRun);
  const voids: string[] = [];
  const undo = {
    add: async (entries: readonly SnapshotEntry[]) => void (await stored(entries)),
    void: async (names: readonly Buffer[]) => void voids.push(...names.map(String)),
  };
  const isNewName = () => true;
  const throttled = <T>(call: () => Promise<T>) => call();
  const how = { dryRun, withoutUndo, undo: dryRun || withoutUndo ? null : undo };
  await fix({ ctx, basis, counts, isNewName, throttled, ...how }, faults);
  return { counts, voids };
};

const skipped = async ({ counts }: { counts: FixCounts }) => (await counts.result(test.ctx)).skippedBecause;
const full = () => Promise.reject(new Problem('no_undo', 'full'));

describe('a rename', () => {
  it('leaves a key that changed after it was read, and no copy of it', async () => {
    await test.redis.mset('shop_item_1', 'one', 'shop_item_2', 'two', 'shop_item_3', 'three');
    const keys = ['shop_item_1', 'shop_item_2', 'shop_item_3'];
    const stored = async () => {
      await test.redis.set('shop_item_1', 'newer');
      await test.redis.del('shop_item_3');
    };
    const { counts, voids } = await fixBeside('name-format', renameKeys, { keys, stored });
    expect(counts).toMatchObject({ fixed: 1, conflicts: 1, vanished: 1 });
    expect(voids).toEqual(['shop:item:1', 'shop:item:3']);
    expect(await test.redis.mget('shop_item_1', 'shop:item:1')).toEqual(['newer', null]);
    expect(await test.redis.mget('shop_item_2', 'shop:item:2')).toEqual([null, 'two']);
    expect(await test.redis.exists('shop_item_3', 'shop:item:3')).toBe(0);
  });

  it('leaves what an application wrote under the new name meanwhile', async () => {
    await test.redis.set('shop_item_1', 'one');
    const stored = () => test.redis.set('shop:item:1', 'own');
    const { counts } = await fixBeside('name-format', renameKeys, { keys: ['shop_item_1'], stored });
    expect(counts).toMatchObject({ fixed: 0, conflicts: 1 });
    expect(await test.redis.mget('shop_item_1', 'shop:item:1')).toEqual(['one', 'own']);
  });

  it('takes a TTL along that was extended meanwhile', async () => {
    await test.redis.set('shop_item_1', 'one', 'EX', 100);
    const stored = () => test.redis.expire('shop_item_1', 5000);
    const { counts } = await fixBeside('name-format', renameKeys, { keys: ['shop_item_1'], stored });
    expect(counts).toMatchObject({ fixed: 1 });
    expect(await test.redis.ttl('shop:item:1')).toBeGreaterThan(4900);
  });

  it('leaves everything under its old name when undo cannot be stored, or the server is full', async () => {
    const keys = ['shop_item_1', 'shop_item_2'];
    const refuse = async () => void (await test.redis.config('SET', 'maxmemory', '1'));
    try {
      for (const [stored, code] of [
        [full, 'no_undo'],
        [refuse, 'out_of_memory'],
      ] as const) {
        await test.redis.mset('shop_item_1', 'one', 'shop_item_2', 'two');
        const failure = fixBeside('name-format', renameKeys, { keys, stored });
        await expect(failure, code).rejects.toBeInstanceOf(Problem);
        expect((await test.redis.keys('*')).sort()).toEqual(keys);
      }
    } finally {
      await test.redis.config('SET', 'maxmemory', '0');
    }
    expect((await fixBeside('name-format', renameKeys, { keys })).counts).toMatchObject({ fixed: 2 });
  });

  it('is undone only where the job got to it', async () => {
    await test.redis.mset('shop_item_1', 'one', 'shop_item_2', 'two');
    let entries: readonly SnapshotEntry[] = [];
    const stored = async (added: readonly SnapshotEntry[]) => {
      entries = added;
      await test.redis.append('shop_item_2', '!');
    };
    await fixBeside('name-format', renameKeys, { keys: ['shop_item_1', 'shop_item_2'], stored });
    const states = await renameBack(test.ctx, entries);
    expect(states.map(({ letter }) => letter)).toEqual(['r', 'b']);
    expect(await test.redis.mget('shop_item_1', 'shop_item_2')).toEqual(['one', 'two!']);
  });

  it('shows no part of a secret, and leaves keys whose name or value holds one', async () => {
    const secrets = ['reset_Zq7pXv2_mLr9tKw1Zq7pXv2mLr9', 'invite/9fKq2Lw/8xTzB1nV0q'];
    const jwt = 'jwt_eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.Sfl_KxwRJSMeKKF2QT4fwpM';
    const keys = [...secrets, jwt];
    for (const key of keys) await test.redis.set(key, 'x');
    for (const dryRun of [true, false]) {
      const done = await fixBeside('name-format', renameKeys, { keys, dryRun });
      expect(await skipped(done)).toEqual([{ reason: HOLDS_SECRET, keys: 3 }]);
      expect(JSON.stringify(await done.counts.result(test.ctx))).not.toMatch(/Zq7|9fK|Sfl|Kxw/u);
    }
    await test.redis.set('ApiKey:1', 'x');
    const named = await fixBeside('name-case', renameKeys, { keys: ['ApiKey:1'] });
    expect(await skipped(named)).toEqual([{ reason: HOLDS_SECRET, keys: 1 }]);
    expect(await test.redis.exists(...keys, 'ApiKey:1')).toBe(4);
  });
});

describe('a removal', () => {
  const STATE = 'oauth_state:Zq7pXv2mLr9tKw2';
  const fixState = async (beside: Omit<Beside, 'keys'>) => {
    await test.redis.del(STATE);
    await test.redis.hset(STATE, { provider: 'google' });
    return fixBeside('abandoned-keys', removeKeys, { keys: [STATE], ...beside });
  };

  it.each([false, true])(
    'leaves keys that came into use since they were found (without undo: %s)',
    async (withoutUndo) => {
      await test.redis.sadd('user_sessions:7', 'Zq7pXv2mLr9tKw9');
      const signIn = async () => {
        await test.redis.sadd('user_sessions:7', 'Kw1Zq7pXv2mLr9t');
        await test.redis.hset('session:7:Kw1Zq7pXv2mLr9t', { user_id: '7', username: 'liwei' });
      };
      const index = { keys: ['user_sessions:7'], decided: signIn, withoutUndo };
      const { counts } = await fixBeside('abandoned-keys', removeKeys, index);
      expect(counts).toMatchObject({ fixed: 0, conflicts: 1 });
      expect(await test.redis.scard('user_sessions:7')).toBe(2);
      const begun = await fixState({ decided: () => test.redis.expire(STATE, 600), withoutUndo });
      expect(begun.counts).toMatchObject({ fixed: 0, conflicts: 1 });
      expect(await test.redis.ttl(STATE)).toBeGreaterThan(500);
    },
  );

  it('leaves keys that change or get a TTL after they were copied, and never tries again', async () => {
    const writes = [() => test.redis.hset(STATE, 'code', '1'), () => test.redis.expire(STATE, 600)];
    for (const stored of writes) {
      const { counts, voids } = await fixState({ stored });
      expect(counts).toMatchObject({ fixed: 0, conflicts: 1, vanished: 0 });
      expect(voids).toEqual([STATE]);
      expect(await test.redis.exists(STATE)).toBe(1);
    }
    const { counts, voids } = await fixState({ stored: () => test.redis.del(STATE) });
    expect(counts).toMatchObject({ fixed: 0, conflicts: 0, vanished: 1 });
    expect(voids).toEqual([STATE]);
    expect((await fixState({})).counts).toMatchObject({ fixed: 1 });
  });
});

it('sets no TTL when undo cannot be stored', async () => {
  await test.redis.set('cache:user:1', 'x');
  const failure = fixBeside('ttl-required', setTtls, { keys: ['cache:user:1'], stored: full });
  await expect(failure).rejects.toMatchObject({ code: 'no_undo' });
  expect(await test.redis.ttl('cache:user:1')).toBe(-1);
});

describe('a trim', () => {
  const elements = Array.from({ length: 10_001 }, (_, i) => String(i));

  it('removes nothing of a list that changed after its copy was stored', async () => {
    await test.redis.rpush('recent:user:1', ...elements);
    const stored = () => test.redis.lpush('recent:user:1', 'newer');
    const { counts } = await fixBeside('collection-length', trimKeys, { keys: ['recent:user:1'], stored });
    expect(counts).toMatchObject({ fixed: 0, conflicts: 1 });
    expect(await test.redis.llen('recent:user:1')).toBe(10_002);
  });

  it('leaves whatever is not known to be a copy', async () => {
    const keys = ['queue:mail', 'message:1:2', 'bull:mail:wait', 'celery', 'resque:queue:x', 'chats:7'];
    for (const key of keys) await test.redis.rpush(key, ...elements);
    const done = await fixBeside('collection-length', trimKeys, { keys });
    expect(await skipped(done)).toContainEqual({ reason: ONLY_COPY, keys: keys.length });
    for (const key of keys) expect(await test.redis.llen(key)).toBe(10_001);
  });

  it('cuts a list that is too large to store only without undo, as its preview says', {
    tags: ['long'],
  }, async () => {
    const large = Array.from({ length: 10_100 }, (_, i) => `${i}`.padEnd(900, '.'));
    await test.redis.rpush('recent:user:1', ...large);
    const keys = ['recent:user:1'];
    for (const dryRun of [true, false]) {
      const done = await fixBeside('collection-length', trimKeys, { keys, dryRun });
      expect(await skipped(done)).toEqual([{ reason: NO_COPY, keys: 1 }]);
    }
    for (const dryRun of [true, false]) {
      const { counts } = await fixBeside('collection-length', trimKeys, { keys, dryRun, withoutUndo: true });
      expect(counts).toMatchObject({ fixed: 1, skipped: 0 });
    }
    expect(await test.redis.llen('recent:user:1')).toBe(10_000);
    expect(await test.redis.lindex('recent:user:1', -1)).toBe(large[9999]);
  });
});
