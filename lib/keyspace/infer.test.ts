import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '@/scripts/testing/cpu-time';
import { catalogFor } from './apps-of';
import { createLocator } from './classify';
import { catalogYaml, type Inference, inferFamilies, type KeySample } from './infer';
import { readCatalogText } from './own/read';
import { checkTogether } from './own/together';

const random = (() => {
  let state = 7;
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
})();
const pick = <T>(all: readonly T[]): T => all[random(all.length)]!;
const hexOf = (length: number): string =>
  createHash('sha512')
    .update(String(random(1e9)))
    .digest('hex')
    .slice(0, length);
const uuid = (): string => hexOf(32).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/u, '$1-$2-$3-$4-$5');
const base64 = (): string =>
  createHash('sha256')
    .update(String(random(1e9)))
    .digest('base64url');
const WORDS = 'red blue green stone river cloud paper light winter garden music coffee train'.split(' ');
const slug = (): string => Array.from({ length: 1 + random(4) }, () => pick(WORDS)).join('-');
const day = (separator: string): string =>
  ['2024', String(1 + random(12)).padStart(2, '0'), String(1 + random(28)).padStart(2, '0')].join(separator);
const many = (count: number, make: (i: number) => string): string[] => [
  ...new Set(Array.from({ length: count }, (_, i) => make(i))),
];

const samplesOf = (keys: readonly string[], more: Partial<KeySample> = {}): KeySample[] =>
  keys.map((key) => ({ key: Buffer.from(key), type: 'string', ttlSeconds: null, ...more }));

/** Proposals as a file reads them, and the share of keys that the file classifies. */
const inferred = (
  samples: readonly KeySample[],
): Inference & { yaml: string; share: number; patterns: string[] } => {
  const found = inferFamilies(samples);
  const yaml = catalogYaml('unknown', found.families);
  const file = readCatalogText('proposed.yaml', yaml);
  checkTogether([file]);
  expect(file.text.problems).toEqual([]);
  const locate = createLocator(file.families.map(({ family }) => family));
  const covered = samples.filter(({ key }) => locate(key).family).length;
  expect(found.covered).toBe(covered);
  for (const { family } of file.families) expect(family.pattern).toMatch(/[\p{L}\p{N}](?![^{]*\})/u);
  return {
    ...found,
    yaml,
    share: covered / samples.length,
    patterns: found.families.map(({ pattern }) => pattern),
  };
};

const ENVS = ['prod', 'staging', 'dev'];
const KINDS =
  'user order invoice cart setting feature job seq cache profile payment refund stock price image tag'.split(
    ' ',
  );
const NAMES = 'timeout max_conn max_size log_level theme port host region retry pool_size'.split(' ');

/** Keyspaces that no catalog knows, with the patterns that people would write. */
const KEYSPACES: Record<string, { keys: () => string[]; patterns: string[] }> = {
  'ids behind words': {
    keys: () => [
      ...many(300, (i) => `cart:${i}`),
      ...many(200, (i) => `cart:${i}:items`),
      ...many(100, () => `user:${random(1e6)}:profile`),
      ...many(100, () => `user:${random(1e6)}:settings`),
      ...many(100, (i) => `cache:user:${i}`),
      ...many(100, (i) => `cache:post:${i}`),
      ...many(100, (i) => `cache:tag:${i}`),
    ],
    patterns: ['cart:{id}', 'cart:{id}:items', 'user:{id}:profile', 'user:{id}:settings'].concat([
      'cache:user:{id}',
      'cache:post:{id}',
      'cache:tag:{id}',
    ]),
  },
  paths: {
    keys: () => [
      ...many(200, () => `user/${uuid()}/profile`),
      ...many(200, () => `user/${uuid()}/avatar`),
      ...many(50, () => `img/${slug()}.png`),
    ],
    patterns: ['user/{id}/profile', 'user/{id}/avatar', 'img/{name}'],
  },
  'words joined by _': {
    keys: () => ENVS.flatMap((env) => NAMES.map((name) => `cfg_${env}_${name}`)),
    patterns: ['cfg_{name}_{name2}'],
  },
  tokens: {
    keys: () => [
      ...many(200, () => `sess:${hexOf(40)}`),
      ...many(100, () => `refresh:${base64()}`),
      ...many(100, (i) => `user_sess:${i}`),
      ...many(100, () => `invite-${uuid()}`),
    ],
    patterns: ['sess:{token}', 'refresh:{token}', 'user_sess:{id}', 'invite-{token}'],
  },
  dates: {
    keys: () => [
      ...many(200, () => `report:${day('-')}`),
      ...many(100, () => `stats-${day('-')}`),
      ...many(100, () => `log_${day('_')}_errors`),
      ...many(100, () => `visits:${day('')}:${random(100)}`),
      ...many(60, () => `hits.${day('/')}`),
    ],
    patterns: ['report:{date}', 'stats-{date}', 'log_{date}_errors', 'visits:{date}:{id}', 'hits.{date}'],
  },
  'keys without parameters': {
    keys: () =>
      'maintenance stats:global config:site config:theme config:mail leaderboard queue.emails queue.images'.split(
        ' ',
      ),
    patterns: ['maintenance', 'stats:global', 'config:{name}', 'leaderboard', 'queue.{name}'],
  },
  tenants: {
    keys: () => many(2000, (i) => `t${i % 150}:${pick(['user', 'cart', 'order'])}:${i}`),
    patterns: ['{name}:user:{id}', '{name}:cart:{id}', '{name}:order:{id}'],
  },
  'slugs and other alphabets': {
    keys: () => [
      ...many(400, () => `page:${slug()}:${pick(['en', 'de'])}`),
      ...many(200, () => `поиск:${slug()} ${random(99)}`),
      ...many(200, () => `q:${slug()}:${slug()}:${random(9)}`),
    ],
    patterns: ['page:{name}:en', 'page:{name}:de', 'поиск:{name}', 'q:{name}:{name2}:{id}'],
  },
  noise: {
    keys: () => [
      ...many(1000, (i) => `order:${i}:lines`),
      ...many(300, () => `price:${random(1e5)}-eur`),
      ...many(40, () => base64().slice(0, 9 + random(20))),
    ],
    patterns: ['order:{id}:lines', 'price:{name}'],
  },
  'numbered names': {
    keys: () => [
      ...many(100, (i) => `worker${i}`),
      ...many(100, (i) => `shard-${i}-lock`),
      ...many(100, (i) => `{user${i}}:feed`),
    ],
    patterns: ['worker{id}', 'shard-{id}-lock', '{{{name}}}:feed'],
  },
  'tenants with more kinds than a hand of words': {
    keys: () => many(3000, (i) => `tenant-${pick(WORDS)}${i % 40}:${KINDS[i % KINDS.length]}:${i}`),
    patterns: KINDS.map((kind) => `{name}:${kind}:{id}`),
  },
  'hash tags': {
    keys: () => [
      ...many(200, (i) => `{user:${i}}:cart`),
      ...many(200, (i) => `{user:${i}}:orders`),
      ...many(200, (i) => `bull:{mail}:${i}`),
      ...many(200, () => `{${hexOf(8)}}.slot`),
    ],
    patterns: ['{{user:{id}}}:cart', '{{user:{id}}}:orders', 'bull:{{mail}}:{id}', '{{{id}}}.slot'],
  },
};

describe('an unknown keyspace', () => {
  it.each(Object.entries(KEYSPACES))('of %s gets a file that classifies it', (_, { keys, patterns }) => {
    const found = inferred(samplesOf(keys()));
    expect(found.share).toBeGreaterThanOrEqual(0.95);
    expect(found.patterns.sort()).toEqual(patterns.sort());
  });

  it('of everything at once does too, also beside keys that no pattern can have', { tags: ['long'] }, () => {
    const keys = Object.values(KEYSPACES).flatMap((each) => each.keys());
    const strange = [
      Buffer.from([0xff, 0xfe]),
      Buffer.alloc(64 * 1024, 'a:'),
      Buffer.from(''),
      Buffer.from('a\0:\x01'),
    ];
    const samples = [...samplesOf(keys), ...strange.map((key) => ({ key, type: 'string' }))];
    const { share, families } = inferred(samples);
    expect(share).toBeGreaterThanOrEqual(0.95);
    expect(families.length).toBeLessThan(60);
  });
});

it('proposes types, TTLs and secrets, and never shows a token', () => {
  const token = () => hexOf(40);
  const samples: KeySample[] = [
    ...samplesOf(
      many(50, () => `sess:${token()}`),
      { ttlSeconds: 86_000 },
    ),
    ...samplesOf(
      many(50, (i) => `sess_of:${i}`),
      { type: 'set' },
    ),
    ...samplesOf(
      many(60, (i) => `cart:${i}`),
      { type: 'hash', ttlSeconds: 1000, fields: ['sku', 'api_key'] },
    ),
    ...samplesOf(
      many(10, (i) => `cart:x${i}`),
      { type: 'string', ttlSeconds: 700 },
    ),
    ...samplesOf(
      many(20, (i) => `key:${i}`),
      { ttlSeconds: undefined, secretValue: true },
    ),
    ...samplesOf(
      many(20, (i) => `mix:${i}`),
      { ttlSeconds: 5 },
    ),
    ...samplesOf(many(20, (i) => `mix:${100 + i}`)),
    ...samplesOf(
      many(3, (i) => `ts:${i}`),
      { type: 'TSDB-TYPE' },
    ),
    ...samplesOf(
      many(3, (i) => `vec:${i}`),
      { type: 'vectorset' },
    ),
  ];
  const { families, yaml } = inferred(samples);
  const of = (pattern: string) => families.find((family) => family.pattern === pattern);
  expect(of('sess:{token}')).toMatchObject({ type: 'string', ttl: '1d', sensitive: ['token'], examples: [] });
  expect(of('sess_of:{id}')).toMatchObject({ type: 'set', ttl: 'persistent', sensitiveValue: true });
  expect(of('cart:{id}')).toMatchObject({
    type: 'hash',
    otherTypes: ['string'],
    ttl: '20m',
    sensitiveFields: ['api_key'],
  });
  expect(of('key:{id}')).toMatchObject({ ttl: 'any', sensitiveValue: true });
  expect(of('mix:{id}')).toMatchObject({ ttl: 'any', sensitiveValue: false, keys: 40 });
  expect(of('ts:{id}')).toMatchObject({ type: 'timeseries' });
  expect(of('vec:{id}')).toMatchObject({ type: 'vectorset' });
  expect(yaml).not.toMatch(/[0-9a-f]{20}/u);
  expect(yaml).toContain('# 50 keys');
});

const ADDRESSES = ['203.0.113.', '198.51.100.'];
const IPV6 = () => `2001:db8:${hexOf(4)}::${hexOf(3)}`;
const mac = (by: string) => `AA-bb-${hexOf(8).replace(/..(?!$)/gu, '$&-')}`.replaceAll('-', by);
const LOCALES = 'de en fr it es pt-BR en-US zh-Hans-CN ja ko ru uk pl nl sv de_DE'.split(' ');
const MAILS = (i: number) => `${pick(WORDS)}.${pick(WORDS)}${i}@mail-${i % 3}.example.org`;

it.each<[string, (i: number) => string, string, boolean]>([
  ['login_ip:', (i) => `${pick(ADDRESSES)}${i}`, '{address}', false],
  ['session|ip|', (i) => `${pick(ADDRESSES)}${i}`, '{address}', false],
  ['auth_fail:', () => IPV6(), '{address}', false],
  ['rate:', (i) => (i % 2 ? IPV6() : `${pick(ADDRESSES)}${i}`), '{address}', false],
  ['login_attempts:', MAILS, '{email}', false],
  ['password:reset:mail:', MAILS, '{email}', false],
  ['login_', MAILS, '{email}', false],
  ['token:used:', () => day('-'), '{date}', false],
  ['session:seen:', () => `${day('-')}T10:${10 + random(49)}:00Z`, '{date}', false],
  ['auth:failures:', (i) => `20${10 + (i % 20)}-0${1 + random(9)}`, '{date}', false],
  ['auth:ip:', (i) => `fe80::${i + 17}:${hexOf(3)}`, '{address}', false],
  ['login:', (i) => `::ffff:${pick(ADDRESSES)}${i}`, '{address}', false],
  ['login:', (i) => `[2001:db8::${i + 1}]:${4000 + i}`, '[{address}]:{id}', false],
  ['auth:', () => mac(':'), '{address}', false],
  ['token:', () => mac('-'), '{address}', false],
  ['feed::', (i) => String(i + 1), '{id}', false],
  ['visits:', () => day(''), '{date}', false],
  ['report:', (i) => `20${10 + (i % 20)}${10 + (i % 3)}`, '{date}', false],
  ['hits:', (i) => `${day('')}${10 + (i % 14)}`, '{date}', false],
  ['token:used:', (i) => `2026-11-28T${10 + (i % 14)}`, '{date}', false],
  ['stats:', (i) => `2026-W${10 + (i % 40)}`, '{date}', false],
  ['events:', (i) => String(1_764_000_000 + 3600 * i), '{date}', false],
  ['events:', (i) => String(1_764_000_000_000 + 3600 * i), '{date}', false],
  ['user:', (i) => String(20_261_000 + 7 * i), '{id}', false],
  ['reset:mail:', (i) => LOCALES[i % LOCALES.length]!, '{name}', false],
  ['thumb:', () => hexOf(40), '{hash}', false],
  ['etag:page:', () => hexOf(32), '{hash}', false],
  ['blob:sha256:', () => hexOf(64), '{hash}', false],
  ['device:', uuid, '{id}', false],
  ['article:', () => `${slug()}-${slug()}-${slug()}-${slug()}-${slug()}`, '{name}', false],
  ['login:', () => `${pick(WORDS)}-${pick(WORDS)}-${pick(WORDS)}`, '{name}', false],
  ['session:', uuid, '{token}', true],
  ['sess:', () => hexOf(32), '{token}', true],
  ['session:cache:', () => hexOf(40), '{token}', true],
  ['x:', () => hexOf(40), '{token}', true],
  ['magic:', () => `${pick(WORDS)}-${pick(WORDS)}-${pick(WORDS)}`, '{token}', true],
  ['login:', base64, '{token}', true],
])('tells what follows %s by its form', (prefix, value, parameter, isSensitive) => {
  const { families, share } = inferred(samplesOf(many(60, (i) => `${prefix}${value(i)}`)));
  expect(share).toBe(1);
  const [found] = families;
  expect(families).toHaveLength(1);
  expect(found!.pattern).toBe(prefix + parameter);
  expect(found!.sensitive).toEqual(isSensitive ? ['token'] : []);
});

/** What a job library keeps of a queue: jobs, lists of them by their state, and settings. */
const QUEUE: Record<string, string> = {
  wait: 'list',
  active: 'list',
  paused: 'list',
  completed: 'zset',
  failed: 'zset',
  delayed: 'zset',
  prioritized: 'zset',
  'waiting-children': 'zset',
  repeat: 'zset',
  stalled: 'set',
  events: 'stream',
  id: 'string',
  'stalled-check': 'string',
  meta: 'hash',
};
const queue = (prefix: string, jobs: number): KeySample[] => [
  ...samplesOf(
    many(jobs, (i) => `${prefix}:${i + 1}`),
    { type: 'hash' },
  ),
  ...Object.entries(QUEUE).flatMap(([name, type]) => samplesOf([`${prefix}:${name}`], { type })),
];

it.each([
  ['one queue', ['mail'], 'mail'],
  ['two queues', ['mail', 'sms'], 'mail'],
  ['many queues', WORDS, '{name}'],
])('tells the jobs of %s from what is beside them', (_, names, shown) => {
  const { families, share } = inferred(names.flatMap((name) => queue(`bull:${name}`, 92)));
  expect(share).toBe(1);
  const of = (pattern: string) => families.find((family) => family.pattern === `bull:${shown}:${pattern}`);
  expect(of('{id}') ?? of('{id2}')).toMatchObject({ type: 'hash', otherTypes: [] });
  for (const [name, type] of Object.entries(QUEUE)) expect(of(name)).toMatchObject({ type, otherTypes: [] });
});

it.each<[string, () => KeySample[], string[]]>([
  [
    'asynq',
    () =>
      ['default', 'critical', 'low'].flatMap((name) => [
        ...samplesOf(
          many(30, () => `asynq:{${name}}:t:${uuid()}`),
          { type: 'hash' },
        ),
        ...samplesOf(
          ['pending', 'active', 'retry'].map((of) => `asynq:{${name}}:${of}`),
          { type: 'list' },
        ),
        ...samplesOf(many(10, (i) => `asynq:{${name}}:failed:2026-11-${10 + i}`)),
      ]),
    ['active', 'failed:{date}', 'pending', 'retry', 't:{id}'].map((of) => `asynq:{{{name}}}:${of}`),
  ],
  [
    'resque',
    () =>
      ['mail', 'images', 'default'].flatMap((name, i) => [
        ...samplesOf([`resque:queue:${name}`], { type: 'list' }),
        ...samplesOf(['', ':started'].map((end) => `resque:worker:host-${i}:${4000 + i}:*${end}`)),
      ]),
    ['resque:queue:{name}', 'resque:worker:{name}:{id}:*', 'resque:worker:{name}:{id}:*:started'],
  ],
  [
    'rq',
    () =>
      ['default', 'mail', 'low'].flatMap((name) => [
        ...samplesOf([`rq:queue:${name}`], { type: 'list' }),
        ...samplesOf([`rq:finished:${name}`], { type: 'zset' }),
        ...samplesOf(
          many(9, () => `rq:job:${uuid()}`),
          { type: 'hash' },
        ),
      ]),
    ['rq:finished:{name}', 'rq:job:{id}', 'rq:queue:{name}'],
  ],
  ['celery', () => samplesOf(many(50, () => `celery-task-meta-${uuid()}`)), ['celery-task-meta-{id}']],
  [
    'sidekiq',
    () =>
      samplesOf([
        ...['mail', 'images'].map((name) => `queue:${name}`),
        ...many(9, (i) => `stat:failed:2026-11-1${i}`),
      ]),
    ['queue:{name}', 'stat:failed:{date}'],
  ],
])('has a family for each kind of key of %s', (_, samples, patterns) => {
  const found = inferred(samples());
  expect(found.patterns.sort()).toEqual(patterns);
  expect(found.families.flatMap(({ sensitive }) => sensitive)).toEqual([]);
});

it('proposes nothing of keys that may be bare secrets, except patterns that several of them have', () => {
  const bare = ['toni.summer', 'annawinter', 'max:autumn'].map((name) => ({
    ...samplesOf([name])[0]!,
    mayBeSecret: true,
  }));
  const carts = samplesOf(many(20, (i) => `cart:${i}`)).map((sample) => ({ ...sample, mayBeSecret: true }));
  const { families } = inferred([...bare, ...carts]);
  expect(families).toMatchObject([{ pattern: 'cart:{id}', examples: [] }]);
});

it('proposes complete names that are one value as secrets of exactly this form, and quotes no secret', () => {
  const keys = [
    ...many(100, () => uuid()),
    ...many(100, () => hexOf(64)),
    ...many(100, () => createHash('md5').update(uuid()).digest('base64')),
    ...many(50, () => `otp:${100_000 + random(899_999)}`),
    'admin:password:correcthorse',
  ];
  const { families, covered } = inferFamilies(samplesOf(keys));
  expect(covered).toBe(keys.length - 1);
  const bare = families.filter(({ pattern }) => pattern === '{token}');
  expect(bare.map(({ params, sensitive }) => [params.token, sensitive])).toEqual(
    expect.arrayContaining([
      ['uuid', ['token']],
      [expect.objectContaining({ min: 64, max: 64 }), ['token']],
      [expect.objectContaining({ min: 24, max: 24 }), ['token']],
    ]),
  );
  const yaml = catalogYaml('unknown', families);
  expect(yaml).not.toMatch(/correcthorse|examples/u);
});

it('leaves keys to the families that a registry has, and has nothing to say about none', () => {
  const registry = catalogFor(['discours']);
  const keys = [...many(50, (i) => `author:id:${i}`), ...many(50, (i) => `cart:${i}`)];
  expect(inferFamilies(samplesOf(keys), registry)).toMatchObject({ keys: 50, covered: 50 });
  expect(inferFamilies([])).toEqual({ families: [], keys: 0, covered: 0 });
});

it('takes seconds at most for a large sample, whatever its keys', { tags: ['long'] }, () => {
  const kinds = [
    (i: number) => `cart:${i}`,
    (i: number) => `t${i % 3000}:user:${i}`,
    () => hexOf(9),
    (i: number) => `a:${'b:'.repeat(i % 200)}`,
  ];
  const samples = samplesOf(Array.from({ length: 100_000 }, (_, i) => kinds[i % kinds.length]!(i)));
  const startedAt = cpuMs();
  expect(inferFamilies(samples).families.length).toBeGreaterThan(0);
  expect(cpuMs() - startedAt).toBeLessThan(5000);
});
