import { describe, expect, it } from 'vitest';
import { looksLikeKeyBytes } from '@/lib/values/key-bytes';
import { looksSecret } from './mask';
import { isSecretName } from './secret-name';

describe('secret by name', () => {
  it.each([
    'JWT_SECRET',
    'POSTGRES_PASSWORD',
    'FEATURE_API_KEY',
    'SENTRY_DSN',
    'oauth_token',
    'SMTP_CREDENTIALS',
    'dbPassword',
    'S3_ACCESS_KEY2',
    'AWS_CREDS',
  ])('%s is', (name) => {
    expect(isSecretName(name)).toBe(true);
  });
  it.each(['FEATURE_KEYBOARD', 'FEATURE_TOKENIZER', 'MONKEY_BUSINESS', 'DEBUG', 'FEATURE_PASSAGE', ''])(
    '%j is not',
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );
});

describe('secret by value', () => {
  it.each([
    'postgres://app:hunter2@db.example.org/main',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE',
    'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig_nature',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
    'redis://:hunter2@cache:6379/0',
    'postgres://app:hun/ter2@db/main',
    'https://hooks.example.org/in?token=abc',
    'host=db user=app password=hunter2',
    'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.',
  ])('%j is', (text) => {
    expect(looksSecret(text)).toBe(true);
  });
  it.each([
    'true',
    'percentage:25',
    'https://example.org/path',
    'beta-testers,editors',
    '',
    '<script>',
    'http://search.internal:9200/@scope',
    'ops@example.org,dev@example.org',
    'https://example.org/?page=2',
  ])('%j is not', (text) => {
    expect(looksSecret(text)).toBe(false);
  });
});

it('is fast on long hostile text', () => {
  const started = performance.now();
  for (const piece of ['eyJ', 'a', 'a:', 'a://::::', '://', 'eyJaaaaaaaa.', 'password', '-----BEGIN A'])
    looksSecret(piece.repeat(Math.ceil(65_536 / piece.length)));
  expect(performance.now() - started).toBeLessThan(2000);
});

it('takes random bytes for a key, but not text in another encoding', () => {
  const random = Uint8Array.from({ length: 32 }, (_, i) => (i * 151 + 7) % 256);
  expect(looksLikeKeyBytes(random)).toBe(true);
  expect(looksLikeKeyBytes(random.subarray(0, 15))).toBe(false);
  const windows1251 = Buffer.from('cff0e8e2e5f22c20ece8f0212020cff0e8e2e5f22c20ece8f021', 'hex');
  expect(looksLikeKeyBytes(windows1251)).toBe(false);
});
