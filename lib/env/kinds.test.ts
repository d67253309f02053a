import { describe, expect, it } from 'vitest';
import { categoryOf, inCategories } from './categories';
import { doubtOf, kindOf, nameDoubtOf } from './kinds';

describe('the category of a variable', () => {
  it.each([
    ['DB_URL', 'database'],
    ['POSTGRES_PASSWORD', 'database'],
    ['JWT_SECRET', 'auth'],
    ['OAUTH_GOOGLE_CLIENT_ID', 'auth'],
    ['REDIS_PORT', 'redis'],
    ['SEARCH_API_KEY', 'search'],
    ['ELASTICSEARCH_URL', 'search'],
    ['GOOGLE_ANALYTICS_ID', 'integrations'],
    ['SENTRY_DSN', 'integrations'],
    ['SMTP_HOST', 'integrations'],
    ['CORS_ORIGINS', 'security'],
    ['ALLOWED_HOSTS', 'security'],
    ['LOG_LEVEL', 'logging'],
    ['DEBUG', 'logging'],
    ['FEATURE_X', 'features'],
    ['feature_x', 'other'],
    ['XSMTP_HOST', 'other'],
    ['DEBUGGER', 'other'],
    ['', 'other'],
  ])('%s is %s', (name, category) => expect(categoryOf(name)).toBe(category));

  it("is in the document's order, without empty ones", () => {
    const items = ['X', 'DEBUG', 'DB_URL'].map((name) => ({ name, category: categoryOf(name) }));
    expect(inCategories(items).map(({ category }) => category)).toEqual(['database', 'logging', 'other']);
  });
});

describe('the kind of a variable', () => {
  it.each([
    ['DB_URL', 'url'],
    ['SENTRY_DSN', 'url'],
    ['REDIS_PORT', 'integer'],
    ['SESSION_TTL', 'integer'],
    ['DEBUG', 'boolean'],
    ['SMTP_USE_TLS', 'boolean'],
    ['FEATURE_RATE_LIMIT', 'boolean'],
    ['FEATURE_SERVICE_URL', 'url'],
    ['LOG_LEVEL', 'log-level'],
    ['app_loglevel', 'log-level'],
    ['ALLOWED_HOSTS', 'list'],
    ['CORS_ORIGINS', 'list'],
    ['POSTGRES_USER', 'text'],
    ['CURL', 'text'],
    ['IMPORT', 'text'],
  ])('%s is %s', (name, kind) => expect(kindOf(name)).toBe(kind));

  it.each([
    ['DB_URL', 'postgres://db.internal:5432/main'],
    ['DB_URL', 'sqlite:///var/db'],
    ['REDIS_PORT', '6379'],
    ['OFFSET_MIN', '-5'],
    ['FEATURE_A', 'Yes'],
    ['DEBUG', '0'],
    ['LOG_LEVEL', 'WARNING'],
    ['LOG_LEVEL', '30'],
    ['ALLOWED_HOSTS', 'example.org,.example.org,*.example.com,localhost:3000,10.0.0.1,[::1]'],
    ['ALLOWED_HOSTS', '*'],
    ['ALLOWED_HOSTS', '["example.org", "api.example.org"]'],
    ['CORS_ORIGINS', 'https://example.org,http://localhost:3000'],
    ['CORS_ORIGINS', 'https://a.example.org https://*.b.example.org'],
    ['POSTGRES_USER', ''],
    ['POSTGRES_USER', 'a\nb'],
  ])('%s may be %j', (name, text) => expect(doubtOf(name, text)).toBeNull());

  it.each([
    ['DB_URL', 'db.internal'],
    ['DB_URL', 'postgres://a b'],
    ['DB_URL', ''],
    ['REDIS_PORT', '6379a'],
    ['REDIS_PORT', '70000'],
    ['REDIS_PORT', '6379\n'],
    ['SESSION_TTL', '1h'],
    ['FEATURE_A', '25%'],
    ['LOG_LEVEL', 'loud'],
    ['ALLOWED_HOSTS', 'example.org,,b.org'],
    ['ALLOWED_HOSTS', 'https://example.org'],
    ['ALLOWED_HOSTS', '[1]'],
    ['CORS_ORIGINS', 'https://example.org/path'],
    ['CORS_ORIGINS', 'example.org'],
  ])('%s is doubtful as %j', (name, text) => expect(doubtOf(name, text)?.message).toMatch(/^[A-Z].{5,}\.$/));

  it('never quotes the value, and is fast on hostile input', { tags: ['long'] }, () => {
    expect(JSON.stringify(doubtOf('DB_URL', 'hunter2'))).not.toContain('hunter2');
    const started = performance.now();
    for (const name of ['ALLOWED_HOSTS', 'CORS_ORIGINS', 'DB_URL', 'REDIS_PORT'])
      for (const piece of ['a', 'a.', 'a-', ',', '9', 'https://a'])
        doubtOf(name, `${piece.repeat(200_000)}!`);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('warns about unusual names', () => {
    expect(nameDoubtOf('JWT_SECRET2')).toBeNull();
    expect(nameDoubtOf('log_level')?.message).toContain('lower-case');
    for (const name of ['A=B', 'A B', '<script>', '1A', 'имя', '\\xff', ''])
      expect(nameDoubtOf(name)?.message, name).toMatch(/shell|digit/);
  });
});
