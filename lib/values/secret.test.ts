import { describe, expect, it } from 'vitest';
import { isSecretName, looksSecret } from './secret';

describe('secret by name', () => {
  it.each([
    'JWT_SECRET',
    'POSTGRES_PASSWORD',
    'FEATURE_API_KEY',
    'SENTRY_DSN',
    'oauth_token',
    'SMTP_CREDENTIALS',
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

describe('secret by shape', () => {
  it.each([
    'postgres://app:hunter2@db.example.org/main',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE',
    'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig_nature',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  ])('%j is', (text) => {
    expect(looksSecret(text)).toBe(true);
  });
  it.each(['true', 'percentage:25', 'https://example.org/path', 'beta-testers,editors', '', '<script>'])(
    '%j is not',
    (text) => {
      expect(looksSecret(text)).toBe(false);
    },
  );
});
