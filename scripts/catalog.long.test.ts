import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRedis } from './redis-server.mjs';
import { runScript } from './testing/run-script';

const SHOP = join(import.meta.dirname, 'testing/catalogs/shop.yaml');
const folder = mkdtempSync(join(tmpdir(), 'keyward-catalog-'));
let server: Awaited<ReturnType<typeof startRedis>>;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => runScript('catalog.mjs', args, { INIT_CWD: folder });

it('checks a file: what it declares, what it takes over, and each problem by its place', async () => {
  const good = await run('check', SHOP);
  expect(good).toMatchObject({ status: 0, err: '' });
  expect(good.out).toContain('3 families, 3 roles: session, session-index, cache');
  expect(good.out).toContain('Warning: shop.session has the role session instead of discours.session');
  const glob = `app: shop\nfamilies:\n  - { id: a, pattern: 'sess:*', type: string }\n`;
  writeFileSync(join(folder, 'glob.yaml'), glob);
  expect((await run('check', 'glob.yaml')).out).toContain('Warning: shop.a matches the one key "sess:*"');
  const noExamples = 'Warning: no examples for shop.a: no key is compared with their patterns';
  expect((await run('check', 'glob.yaml')).out).toContain(noExamples);
  writeFileSync(
    join(folder, 'bad.yaml'),
    `app: shop\nfamilies:\n  - { id: a, pattern: 'a:{x}', type: strin }\n`,
  );
  const bad = await run('check', 'bad.yaml', 'none.yaml');
  expect(bad.status).toBe(1);
  expect(bad.out).toMatch(/^bad\.yaml:3:38 families\[0\]\.type: found "strin", expected one of string, hash/);
  expect(bad.out).toMatch(/\nnone\.yaml:1:1: found nothing \(ENOENT\)[^\n]*\n2 problems\n$/);
  expect(await run('check')).toMatchObject({ status: 2, out: '' });
});

it('proposes a file for an unknown keyspace that then classifies it', async () => {
  const pipeline = redis.pipeline();
  for (let i = 0; i < 400; i++) {
    pipeline.set(`sess:${(0x1000000 + i).toString(16).padStart(40, '7a9c')}`, '{}', 'EX', 3600);
    pipeline.hset(`basket/${i}/lines`, 'sku', 1);
    pipeline.sadd(`user_sess:${i}`, 'x');
  }
  pipeline.set('maintenance', '1');
  await pipeline.exec();
  await redis.config('RESETSTAT');
  const file = 'proposed.yaml';
  const inferred = await run('infer', '--url', server.url, '--app', 'depot', '--out', file);
  expect(inferred).toMatchObject({ status: 0, out: '' });
  expect(inferred.err).toMatch(/^4 families for 100\.0 % of 1,201 keys without a family/);
  const commands = (await redis.info('commandstats')).match(/cmdstat_[a-z|]+/g) ?? [];
  expect(commands.filter((name) => /_(keys|get|hgetall|smembers|set|del|eval)$/.test(name))).toEqual([]);
  const yaml = readFileSync(join(folder, file), 'utf8');
  expect(yaml).toContain('pattern: basket/{id}/lines');
  expect(yaml).not.toContain('7a9c7a9c');
  const checked = await run('check', file, '--url', server.url);
  expect(checked).toMatchObject({ status: 0 });
  expect(checked.out).toContain('100.0 % of 1,201 keys are classified.');
  // A file is never overwritten.
  expect(await run('infer', '--url', server.url, '--out', file)).toMatchObject({ status: 2 });
  // npm prints its command before the output of a script, which a redirection writes into the file.
  const { out } = await run('infer', '--url', server.url, '--keys', '500');
  writeFileSync(join(folder, 'redirected.yaml'), `\n> keyward@0.1.0 catalog\n> exec node …\n\n${out}`);
  expect(await run('check', 'redirected.yaml')).toMatchObject({ status: 0 });
});

it('checks beside the applications of the Redis only, and refuses one that it does not know', async () => {
  expect((await run('check', SHOP, '--apps', '')).out).not.toContain('discours');
  const refused = await run('check', SHOP, '--apps', 'nope');
  expect(refused).toMatchObject({ status: 2, out: '' });
  expect(refused.err).toContain('--apps: found "nope"');
});

it('counts keys that begin as those of a family and do not fit as malformed', async () => {
  await redis.flushall();
  await redis.mset({ 'post:1': 'x', 'post:two': 'x', 'rl:2001:db8::1': '1' });
  const families = `  - { id: post, pattern: 'post:{id}', params: { id: digits }, type: string }
  - { id: limit, pattern: 'rl:{ip}', type: string }`;
  writeFileSync(join(folder, 'forum.yaml'), `app: forum\nfamilies:\n${families}\n`);
  const { out } = await run('check', 'forum.yaml', '--url', server.url, '--apps', '');
  expect(out).toContain('33.3 % of 3 keys are classified.');
  expect(out).toContain('malformed: 1 key of forum.post, which do not fit its pattern');
  expect(out).toContain('malformed: 1 key of forum.limit');
});

it('says why it cannot, without secrets', async () => {
  const gone = await run('infer', '--url', 'redis://:hunter2@127.0.0.1:1');
  expect(gone).toMatchObject({ status: 2, out: '' });
  expect(gone.err).toContain('nothing is listening');
  expect((await run('infer', '--url', 'redis://:hunter2@host/x')).err).toContain('REDIS_URL: found');
  expect((await run('infer', '--url', server.url, '--apps', 'nope')).err).toContain('--apps: found "nope"');
  const misplaced = await run('check', 'redis://:hunter2@host');
  expect(misplaced).toMatchObject({ status: 2, out: '' });
  for (const { err } of [gone, misplaced]) expect(err).not.toContain('hunter2');
});
