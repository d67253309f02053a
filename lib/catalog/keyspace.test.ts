import { describe, expect, it } from 'vitest';
import { catalogFor } from './apps-of';

const JWT =
  'eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoxMjMsImV4cCI6MTd9.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const PROJECT = '6762b5db032b200023854b2c';

/** Every row of the keyspace document and of "What the real applications write". */
const discours: readonly (readonly [key: string, family: string])[] = [
  [`session:123:${JWT}`, 'session'],
  ['user_sessions:123', 'user-sessions'],
  ['123-anna-4f5b8e0c9d7a6b3e2f1d', 'legacy-session'],
  ['123-anna-maria-4f5b8e0c9d7a6b3e2f1d', 'legacy-session'],
  [`123-anna-maria-${JWT}`, 'legacy-session'],
  ...['google', 'github', 'facebook', 'twitter', 'telegram', 'vk', 'yandex'].flatMap((provider) => [
    [`oauth_access:123:${provider}`, 'oauth-access'] as const,
    [`oauth_refresh:123:${provider}`, 'oauth-refresh'] as const,
  ]),
  ['oauth_state:a1b2c3d4e5f6', 'oauth-state'],
  ...['email_verification', 'phone_verification', 'password_reset', 'email_change'].map(
    (type) => [`verification:123:${type}:8f-2_c`, 'verification'] as const,
  ),
  ['verification_token:kZ_8-x', 'verification-token'],
  ['env_vars:JWT_SECRET', 'env-vars'],
  ['env_vars:FEATURE_REGISTRATION', 'env-vars'],
  ['env_vars:feature lower <script>', 'env-vars'],
  ['author:id:123', 'author-id'],
  ['author:slug:anna-karenina', 'author-slug'],
  ['author:slug:анна', 'author-slug'],
  ['author:followers:123', 'author-followers'],
  ['author:follows-topics:123', 'author-follows-topics'],
  ['author:follows-authors:123', 'author-follows-authors'],
  ['author:follows-shouts:123', 'author-follows-shouts'],
  ['author:follows-communitys:123', 'author-follows-communitys'],
  ['author:123', 'author'],
  ['follows:author:123', 'follows-author'],
  ['topic:id:5', 'topic-id'],
  ['topic:slug:tema-slug', 'topic-slug'],
  ['topic:authors:5', 'topic-authors'],
  ['topic:followers:5', 'topic-followers'],
  ['topic:5', 'topic'],
  ['topic_content:5', 'topic-content'],
  ['topic_shouts_5', 'topic-shouts'],
  ['topic_5', 'topic-selection'],
  ['author_5', 'author-selection'],
  ['authored_5', 'authored'],
  ['feed', 'feed'],
  ['recent', 'recent'],
  ['unrated', 'unrated'],
  ['random_top', 'random-top'],
  ['coauthored', 'coauthored'],
  ['recent_shouts', 'recent-shouts'],
  ['shouts:limit=20:offset=0:sort=created_at', 'shouts'],
  ['shouts:author=123:limit=10', 'shouts'],
  ['shouts:topic=5:featured=true', 'shouts'],
  ['search_cache:поисковый запрос', 'search-cache'],
  ['search:поиск:0+20', 'search-page'],
  ['search:a:b:0+20', 'search-page'],
  ['search:поиск', 'search'],
  ['topics:all:basic', 'topics-all-basic'],
  ['topics:stats:limit=10:offset=0', 'topics-stats'],
  ['authors:stats:limit=10:offset=0', 'authors-stats'],
  ['migrated_views_1640995200', 'migrated-views'],
  ['migrated_views_slugs', 'migrated-views-slugs'],
  ['viewed:7', 'viewed'],
  ['notifications:123', 'notifications'],
  ['notifications:global', 'notifications-global'],
  ['notifications:topic:5', 'notifications-topic'],
  ['notifications:shout:5', 'notifications-shout'],
  ['reaction', 'reaction'],
  ['shout', 'shout'],
  ['follower:12', 'follower'],
  ['lock:publish:12', 'lock'],
  ['state:migration:2024-01', 'state'],
  ['metrics:active_sessions:hourly', 'metrics'],
  ['metrics:cache_hits:daily', 'metrics'],
  ['stats:topics:weekly', 'stats'],
  ['authorizer_env', 'authorizer-env'],
  ['chats/0b9c/messages/1', 'chats'],
  ['feed:invalidated', 'invalidated'],
  ['shouts:limit=20:invalidated', 'invalidated'],
  ['search_cache:x:invalidated', 'invalidated'],
];

const hawk: readonly (readonly [key: string, family: string])[] = [
  ['DisabledProjectsSet', 'disabled-projects'],
  ['BlacklistIPsSet', 'blacklist-ips'],
  ['AllIPsMap', 'all-ips'],
  ['CurrentPeriodMap', 'current-period'],
  ['rate_limits', 'rate-limits'],
  [`ts:project-events-accepted:${PROJECT}:hourly`, 'ts-project'],
];

const registry = catalogFor(['discours', 'hawk']);
const idOf = (key: string | Buffer) => registry.classify(Buffer.from(key as string)).family?.id ?? null;

describe('every row of the keyspace', () => {
  it.each(discours)('%s is discours.%s', (key, family) => expect(idOf(key)).toBe(`discours.${family}`));
  it.each(hawk)('%s is hawk.%s', (key, family) => expect(idOf(key)).toBe(`hawk.${family}`));

  it('reaches every family that is not the console’s', () => {
    const reached = new Set([
      ...discours.map(([, id]) => `discours.${id}`),
      ...hawk.map(([, id]) => `hawk.${id}`),
    ]);
    const declared = registry.families
      .filter((family) => family.app !== 'console')
      .map((family) => family.id);
    expect([...reached].sort()).toEqual(declared.sort());
  });
});

/** Keys that begin as a family's do but do not fit it, and keys of no family. */
const misfits: readonly (readonly [key: string, malformedOf: string | null])[] = [
  ['session:abc:a.b.c', 'discours.session'],
  ['session:123:not-a-jwt', 'discours.session'],
  ['session:123:a.b.', 'discours.session'],
  ['session:123:a.b.c.d', 'discours.session'],
  ['session:', 'discours.session'],
  ['user_sessions:', 'discours.user-sessions'],
  ['user_sessions:12 ', 'discours.user-sessions'],
  ['oauth_access:123:myspace', 'discours.oauth-access'],
  ['verification:1:other:tok', 'discours.verification'],
  ['author:id:x', 'discours.author-id'],
  ['author:name:x', 'discours.author'],
  ['topic:slug:', 'discours.topic-slug'],
  ['topic_shouts_x', 'discours.topic-shouts'],
  ['shouts:limit', 'discours.shouts'],
  ['shouts::', 'discours.shouts'],
  ['migrated_views_x', 'discours.migrated-views'],
  [`ts:project-x:${PROJECT}:yearly`, 'hawk.ts-project'],
  ['sessions:1', null],
  ['Feed', null],
  ['feed ', null],
  ['', null],
  [':invalidated', null],
  ['2024-12-export', null],
  ['12-anna', null],
  ['12--abcdefghijklmnop', null],
  ['12-anna-x:abcdefghijklmnop', null],
];

describe('what fits no family', () => {
  it.each(misfits)('%j is malformed of %s', (key, malformedOf) => {
    const found = registry.classify(Buffer.from(key));
    expect(found.family).toBeNull();
    expect(found.family === null && (found.malformedOf?.id ?? null)).toBe(malformedOf);
  });

  it('takes only valid UTF-8 as text', () => {
    for (const bad of ['\xff', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80', 'a\xe2\x82']) {
      const found = registry.classify(
        Buffer.concat([Buffer.from('search_cache:'), Buffer.from(bad, 'latin1')]),
      );
      expect(found).toMatchObject({ family: null, malformedOf: { id: 'discours.search-cache' } });
    }
    expect(registry.classify(Buffer.from('search_cache:\ufeffя'))).toMatchObject({
      params: { query: '\ufeffя' },
    });
  });
});

it('splits a legacy session where its token begins', () => {
  expect(registry.classify(Buffer.from(`7-anna-maria-${JWT}`))).toMatchObject({
    params: { user_id: '7', username: 'anna-maria', token: JWT },
  });
});

/** Positions that are looked at, counted: neither many families nor hostile bytes may make it more than linear. */
const bytesRead = (key: Buffer): number => {
  let reads = 0;
  const counting = new Proxy(new Uint8Array(key), {
    get: (target, name) => {
      if (typeof name === 'string' && /^\d/u.test(name)) reads++;
      return Reflect.get(target, name, target);
    },
  });
  registry.locate(counting);
  return reads;
};

describe('hostile keys', () => {
  const fill = (unit: string, length: number) =>
    unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  const prefixes = ['', '1-', 'session:1:', 'search:', 'shouts:', 'shouts:a=', 'metrics:', '1-a-', 'lock:'];
  const units = [':', 'a', '{', '-', '.', '=', '0+', 'a.', ':invalidated', '\u00ff', 'eyJ.'];
  it.each(prefixes.flatMap((prefix) => units.map((unit) => [prefix, unit] as const)))(
    '%j and then %j…',
    (prefix, unit) => {
      const read = (length: number) => bytesRead(Buffer.from(prefix + fill(unit, length)));
      expect(read(2_000)).toBeLessThan(30 * 2_000);
      expect(read(8_000)).toBeLessThan(5 * read(2_000) + 1_000);
    },
  );

  it('takes a megabyte without complaint', () => {
    for (const unit of units) {
      for (const prefix of prefixes) registry.classify(Buffer.from(prefix + fill(unit, 1_000_000)));
    }
  });
});
