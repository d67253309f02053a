import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { keyIdOf } from '@/lib/command/key-ids';
import { runCommand } from '@/lib/command/run';
import { parseInput } from '@/lib/command/validate';
import { findSpans } from '@/lib/key-values/secret-spans';
import { replaceSpans } from '@/lib/key-values/show-bytes';
import { maskSecrets } from '@/lib/keyspace/mask';
import { isDescribedSecret, isSecretName } from '@/lib/keyspace/secret-name';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { ANNOUNCED, CODE, CODE_TEXTS, MARK, NAMED, secretNames } from '@/scripts/testing/secret-shapes';
import { getKey } from './get';
import { revealKey } from './reveal';
import { keyContracts } from './schema';

const UNKNOWN = { strict: false, isSecretField: isSecretName };
const KNOWN = { strict: false, isSecretField: isDescribedSecret };
const masked = (text: string, rules = UNKNOWN): string => {
  const bytes = Buffer.from(text);
  return replaceSpans(bytes, findSpans(bytes.toString('latin1'), rules)).toString();
};

describe('a secret', () => {
  it.each(ANNOUNCED)('is masked in %j, in every text', (text) => {
    for (const carrier of [
      text,
      `{"note":${JSON.stringify(text)},"n":1}`,
      JSON.stringify([JSON.stringify({ text })]),
      JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ text }) }) }),
    ])
      for (const rules of [UNKNOWN, KNOWN]) expect(masked(carrier, rules)).not.toContain(MARK);
    expect(maskSecrets(text, false)).not.toContain(MARK);
  });

  it.each(CODE_TEXTS)('is the code in %j', (text) => {
    for (const carrier of [text, JSON.stringify({ text }), JSON.stringify([JSON.stringify({ text })])])
      expect(masked(carrier, KNOWN)).not.toContain(CODE);
    expect(maskSecrets(text, false)).not.toContain(CODE);
  });

  it.each([
    'PHPSESSID',
    'session_id',
    'connect.sid',
    'smtppass',
    'pass\u200bword',
    'ｐａｓｓｗｏｒｄ',
    'pin_code',
    'authcode',
    'wpa_psk',
    'codeVerifier',
  ])('is masked under the name %s', (name) => {
    for (const rules of [UNKNOWN, KNOWN])
      expect(masked(JSON.stringify({ id: 7, [name]: MARK }), rules)).not.toContain(MARK);
  });

  it('is the private part of a key in JSON, and no other field of one letter', () => {
    expect(masked(`{"kty":"RSA","n":"abc","d":"${MARK}"}`, KNOWN)).toBe('{"kty":"RSA","n":"abc","d":"•••"}');
    expect(masked('{"d":"2026-01-01","k":"v"}', KNOWN)).toBe('{"d":"2026-01-01","k":"v"}');
  });

  it('is masked by its name, in every style and shape', () => {
    fc.assert(
      fc.property(secretNames, fc.constantFrom(...NAMED), (name, shape) => {
        expect(isSecretName(name)).toBe(true);
        for (const rules of [UNKNOWN, KNOWN]) expect(masked(shape(name, MARK), rules)).not.toContain(MARK);
      }),
      { numRuns: 1000 },
    );
  });

  it('is not what prose says of secrets, nor a name alone', () => {
    for (const text of [
      '{"title":"Press any key: it works"}',
      'the password was reset by an admin',
      'The bearer of bad news; basic authentication and Basic Plan',
      '{"token_type":"bearer","expires":5,"keyboard":"x"}',
      '{"tags":["red","garden"],"name":"Token Ring"}',
      'costs $1 and $2',
      'user@example.org',
      'name: Toni\nemail: toni@example.org\nports:\n  - 80\n  - 443\n',
      'env:\n  - name: PORT\n    value: "8080"\n',
      'mkdir -p /srv/data && sort -u names:here',
      'Bypass the compass: a boarding pass for 2',
      '{"status_code":404,"country_code":"GE","text":"error code: 5003"}',
      'https://example.org/?q=red%20shoes&from=a%40b',
      Buffer.from('hello world, this is only text').toString('base64'),
      'ids otp455qdcs and pin3854o0b',
      'id,name\n1,Toni\n',
      'INSERT INTO users (id, name) VALUES (1, "Toni")',
      'user Toni on > 3 pages, session 5 ended',
      '<dict><key>name</key><string>Toni</string></dict>',
      'a:1:{s:4:"body";s:8:"{"a":"b"}";}',
    ])
      expect(masked(text, KNOWN)).toBe(text);
  });
});

it('hides the value of a described key whose name is a secret, unless the catalog names its secret fields', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'keyward-secret-')), 'app.yaml');
  const family = (id: string, more: string) =>
    `  - { id: ${id}, pattern: '${id}:{token}', params: { token: hex }, type: hash, ttl: any, title: T, purpose: P, examples: ['${id}:0a1b'], sensitive: [token]${more} }\n`;
  writeFileSync(
    file,
    `app: mail\nfamilies:\n${family('reset', '')}${family('invite', ', sensitiveFields: [code]')}`,
  );
  const test = await testContext({ apps: [], catalogs: [file] });
  try {
    await test.redis.hset('reset:0a1b', 'user', MARK);
    await test.redis.hset('invite:0a1b', { code: MARK, user: 'toni' });
    const ctx = test.as({ actor: testActor('support') });
    const answers = await Promise.all(
      ['reset:0a1b', 'invite:0a1b'].map(async (key) => {
        const input = parseInput(keyContracts.get, { keyId: keyIdOf(ctx, Buffer.from(key)) });
        return JSON.stringify(await getKey(ctx, input));
      }),
    );
    expect(answers.join()).not.toContain(MARK);
    expect(answers[0]).toContain('"family":"mail.reset"');
    expect(answers[1]).toContain('toni');
  } finally {
    await test.close();
  }
});

describe('the inspector, and what it reveals', () => {
  let test: TestContext;
  beforeAll(async () => {
    test = await testContext({ apps: ['discours'] });
  });
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  const shown = async (key: string): Promise<string> => {
    const ctx = test.as({ actor: testActor('support') });
    const input = parseInput(keyContracts.get, { keyId: keyIdOf(ctx, Buffer.from(key)) });
    return JSON.stringify(await getKey(ctx, input));
  };

  it('shows no secret of any type, by its name or by its form', async () => {
    const { redis } = test;
    await fc.assert(
      fc.asyncProperty(secretNames, fc.constantFrom(...NAMED), async (name, shape) => {
        await test.empty();
        await redis.hset('shop:hash', { id: '7', [name]: MARK });
        await redis.hset('shop:named', { value: MARK, name });
        await redis.rpush('shop:list', 'id', '7', name, MARK, shape(name, MARK));
        await redis.xadd('shop:stream', '1-1', name, MARK, 'body', shape(name, MARK));
        await redis.sadd('shop:set', shape(name, MARK));
        await redis.zadd('shop:zset', 1, shape(name, MARK));
        await redis.set('shop:string', shape(name, MARK));
        for (const type of ['hash', 'named', 'list', 'stream', 'set', 'zset', 'string'])
          expect(await shown(`shop:${type}`)).not.toContain(MARK);
      }),
      { numRuns: 40 },
    );
  });

  const revealed = (key: string, more: object = {}) => {
    const ctx = test.as({ actor: testActor('admin') });
    return runCommand(revealKey, {
      actor: ctx.actor,
      requestId: randomUUID(),
      connection: ctx.connection,
      raw: { keyId: keyIdOf(ctx, Buffer.from(key)), ...more },
    });
  };

  it('reveals every shape in every type, audited by the name of its key', async () => {
    const { redis } = test;
    for (const shape of NAMED) {
      await test.empty();
      const text = shape('apiKey', MARK);
      await redis.hset('shop:hash', { id: '7', apiKey: MARK, note: text });
      await redis.rpush('shop:list', 'apiKey', MARK, text);
      await redis.xadd('shop:stream', '1-1', 'apiKey', MARK, 'note', text);
      await redis.sadd('shop:set', text);
      await redis.zadd('shop:zset', 1, text);
      await redis.set('shop:string', text);
      await redis.set('reset:token', text);
      for (const type of ['hash', 'list', 'stream', 'set', 'zset', 'string'])
        expect(JSON.stringify(await revealed(`shop:${type}`))).toContain(MARK);
      const { auditId, ...answer } = await revealed('reset:token');
      expect(JSON.stringify(answer)).toContain(MARK);
      const { items } = await listEntries(test.ctx.store);
      expect(items[0]).toMatchObject({ id: auditId, action: 'keys.reveal', target: 'reset:token' });
      expect(JSON.stringify(items)).not.toContain(MARK);
    }
  });

  it('reveals one element, and says so where it changed since', async () => {
    await test.redis.hset('shop:hash', { apiKey: MARK, password: 'hunter2' });
    const { elements } = await revealed('shop:hash');
    const element = elements[0]!.id;
    const answer = await revealed('shop:hash', { element });
    expect(answer.elements).toEqual([elements[0]]);
    const { items } = await listEntries(test.ctx.store);
    expect(items[0]).toMatchObject({ after: { field: 'apiKey' } });
    await test.redis.hset('shop:hash', { apiKey: 'other' });
    await expect(revealed('shop:hash', { element })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('reveals nothing of a family of which the catalog says that it holds secrets', async () => {
    const { redis } = test;
    await redis.set('env_vars:SMTP_PASSWORD', MARK);
    await redis.sadd('user_sessions:7', MARK);
    await redis.set('keyward:flags:x', MARK);
    for (const key of ['env_vars:SMTP_PASSWORD', 'user_sessions:7', 'keyward:flags:x'])
      await expect(revealed(key)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('masks what follows the name of a secret on the page before', async () => {
    await test.redis.rpush('shop:list', 'password', MARK, 'x');
    const ctx = test.as({ actor: testActor('support') });
    const input = { keyId: keyIdOf(ctx, Buffer.from('shop:list')), limit: 1 };
    const first = await getKey(ctx, parseInput(keyContracts.get, input));
    const second = await getKey(ctx, parseInput(keyContracts.get, { ...input, cursor: first.nextCursor! }));
    expect(second.elements).toMatchObject([{ index: 1, value: { masked: true } }]);
  });

  it.each([
    'reset:token',
    'reset:a1b2',
    'passwordReset:7',
    'email-verify:x',
    'magic-link:y',
    'otp:+7900',
    'oauth:code',
  ])('hides the value of %s, whose name says that it is a secret', async (key) => {
    await test.redis.set(key, MARK);
    expect(await shown(key)).not.toContain(MARK);
  });
});
