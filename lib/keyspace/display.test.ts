import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOfName } from '@/lib/visible-text';
import { catalogFor } from './apps-of';
import {
  displayBytes,
  displayKey,
  displayName,
  displayParams,
  escapeGlob,
  keyFromId,
  keyId,
} from './display';

const registry = catalogFor(['discours', 'hawk']);
const show = (key: string | Buffer) => displayKey(Buffer.from(key as string), registry);

const BASE64URL = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
const chars = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...BASE64URL), minLength: min, maxLength: max });
const jwt = fc
  .tuple(chars(20, 40), chars(30, 120), chars(43, 43))
  .map(([head, body, signature]) => `eyJ${head.replaceAll('-', 'x')}.eyJ${body}.${signature}`);
// Five digits at most: six could be found in a random hex token by chance.
const user = fc.nat({ max: 99_999 });

/** No six characters of the secret in a row: less than that is chance. */
const expectNothingOf = (secret: string, shown: string) => {
  for (let i = 0; i + 6 <= secret.length; i++) {
    const piece = secret.slice(i, i + 6);
    if (shown.includes(piece)) expect.fail(`${piece} of a secret is in ${shown}`);
  }
};

describe('secrets inside keys', () => {
  const keysWith: Record<string, (token: string, id: number) => string> = {
    session: (token, id) => `session:${id}:${token}`,
    'session without user': (token) => `session:${token}`,
    'session of no number': (token) => `session:x:${token}`,
    'session with a tail': (token, id) => `session:${id}:${token}:extra`,
    'session cut short': (token, id) => `session:${id}:${token.slice(0, 60)}`,
    'session marker': (token, id) => `session:${id}:${token}:invalidated`,
    'legacy session': (token, id) => `${id}-anna-${token}`,
    'legacy session, dashes': (token, id) => `${id}-anna-maria-${token}`,
    verification: (token, id) => `verification:${id}:password_reset:${token}`,
    'verification of another kind': (token, id) => `verification:${id}:other:${token}`,
    'verification without user': (token) => `verification:password_reset:${token}`,
    'verification token': (token) => `verification_token:${token}`,
    'verification token, spaced': (token) => `verification_token: ${token}`,
    'oauth state': (token) => `oauth_state:${token}`,
    'oauth state, colon': (token) => `oauth_state:x:${token}`,
    'unknown family': (token) => `tokens/${token}`,
    'unknown family, plural': (token, id) => `sessions:${id}:${token}`,
    'a search for it': (token) => `search:${token}`,
    'a cache of it': (token) => `shouts:q=${token}`,
  };
  it.each(Object.entries(keysWith))('%s: nothing of a JWT is shown', (_name, keyWith) => {
    fc.assert(fc.property(jwt, user, (token, id) => expectNothingOf(token, show(keyWith(token, id)))));
  });

  const opaque = Object.entries(keysWith).filter(([name]) => !/^(a search|a cache|session cut)/u.test(name));
  it.each(opaque)('%s: nothing of a random token is shown', (_name, keyWith) => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), user, (bytes, id) => {
        const random = bytes.map((byte, i) => (byte * 31 + i * 97 + id) & 0xff);
        fc.pre(new Set(random).size > 12);
        for (const encoding of ['base64url', 'hex'] as const) {
          const token = Buffer.from(random).toString(encoding);
          expectNothingOf(token, show(keyWith(token, id)));
        }
      }),
    );
  });

  it('masks parameters one by one as well', () => {
    const found = registry.classify(Buffer.from('7-anna-abcd-0123456789abcdef0123'));
    if (found.family === null) expect.fail('not classified');
    expect(displayParams(found.family, found.params, registry)).toEqual({
      user_id: '7',
      username: 'anna-•••',
      token: '•••',
    });
  });

  it('shows nothing of a secret that a long key cuts', () => {
    const token = 'Zm9vYmFyYmF6cXV4Q29yZ2VHcmF1bHQ3';
    for (let length = 4050; length < 4100; length++) {
      expectNothingOf(token, show(`x:${'A1b2'.repeat(length / 4)}${'z'.repeat(length % 4)} ${token}`));
    }
  });

  it('shows the end of a name of any length, without what may be the end of a secret', () => {
    const long = (end: string) => Buffer.from(`${'one two '.repeat(700)}${end}`);
    expect(displayName(long('last 1'))).toMatch(/^one two .{142}….{44}last 1$/);
    expect(displayName(long('last 1'), 40)).toMatch(/^one .{26}….{4}last 1$/);
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoxfQ.c2lnbmF0dXJl';
    for (const end of ['', ` ${'x '.repeat(470)}`, ` ${'x '.repeat(490)}`, ` ${'x '.repeat(500)}`])
      expectNothingOf(token, displayName(long(token + end), 6000));
    expect(displayName(Buffer.from('a'.repeat(9000)))).toBe('•••…•••');
  });

  it('does not follow markers of markers for ever', () => {
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoxfQ.c2lnbmF0dXJl';
    expectNothingOf(token, show(`session:1:${token}${':invalidated'.repeat(50_000)}`));
  });
});

describe('keys for reading', () => {
  it.each([
    [
      'author:slug:anna-karenina-and-the-very-long-title-2024',
      'author:slug:anna-karenina-and-the-very-long-title-2024',
    ],
    ['search_cache:поиск', 'search_cache:поиск'],
    ['shouts:limit=20:offset=0:sort=created_at', 'shouts:limit=20:offset=0:sort=created_at'],
    ['cache:articles:weekly-digest-of-the-north', 'cache:articles:weekly-digest-of-the-north'],
    ['session:12:a.b.c', 'session:12:•••'],
    ['session:12:', 'session:12:•••'],
    ['session:12', 'session:•••'],
    ['env_vars:<script>', 'env_vars:<script>'],
    ['a\tb\u0000', 'a\\x09b\\x00'],
    ['a\u202eb\ufeff', 'a\\xe2\\x80\\xaeb\\xef\\xbb\\xbf'],
  ])('%j is shown as %j', (key, shown) => expect(show(key)).toBe(shown));

  it('escapes bytes that are not UTF-8', () => {
    expect(displayKey(Buffer.from([0x61, 0xff, 0xe2, 0x82]), registry)).toBe('a\\xff\\xe2\\x82');
    expect(displayBytes(Buffer.concat([Buffer.from('tök '), Buffer.from([0xff, 0x0a])]))).toBe(
      'tök \\xff\\x0a',
    );
  });

  it('cuts at 200 characters, not inside one', () => {
    expect(show('word '.repeat(100))).toBe(
      `${'word '.repeat(30)}…${'word '.repeat(9)}word\\x20`.replace('…word ', '…d '),
    );
    expect(show('😀'.repeat(300))).toBe(`${'😀'.repeat(150)}…${'😀'.repeat(50)}`);
    const bytes = Buffer.concat([Buffer.from(' '), Buffer.alloc(100, 0xff)]);
    expect(show(bytes)).toBe(`\\x20${'\\xff'.repeat(36)}…${'\\xff'.repeat(12)}`);
    expect(displayBytes(Buffer.from('abcdef'), 3)).toBe('abc…');
    expect(displayBytes(Buffer.from('abc'), 3)).toBe('abc');
  });

  it('never throws and stays short, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(Array.from(displayKey(bytes, registry)).length).toBeLessThanOrEqual(201);
        displayBytes(bytes);
      }),
    );
  });
});

describe('key ids', () => {
  it('carry any bytes there and back', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(keyFromId(keyId(bytes))).toEqual(Buffer.from(bytes));
      }),
    );
  });
  it.each(['A', 'AB', 'AA==', 'a+b/', 'YQ ', 'YR', '*', 'YQ\n'])('%j is not canonical', (id) =>
    expect(keyFromId(id)).toBeNull(),
  );
});

describe('globs', () => {
  it('escape what matches more than itself', () => {
    expect(escapeGlob('a*b?[c]\\')).toBe('a\\*b\\?\\[c\\]\\\\');
    expect(escapeGlob(Buffer.from([0xff, 0x2a]))).toEqual(Buffer.from([0xff, 0x5c, 0x2a]));
  });
  it('are literal where parameters are known', () => {
    expect(registry.mustGet('discours.session').match({ user_id: '12' })).toBe('session:12:*');
    expect(registry.mustGet('discours.session').match()).toBe('session:*:*');
    expect(registry.mustGet('discours.author-slug').match({ slug: 'a*' })).toBe('author:slug:a\\*');
    expect(registry.mustGet('discours.legacy-session').match({ user_id: '7' })).toBe('7-*-*');
    expect(registry.mustGet('discours.feed').match()).toBe('feed');
    expect(() => registry.mustGet('discours.session').match({ user_id: '*' })).toThrow(
      '{user_id} is not decimal digits',
    );
  });
});

describe('a name on display', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .string({ unit: fc.constantFrom(...'\\x5cf a\t\u200b\ufe0f\u00a0é❤x') })
      .map((text) => Buffer.from(text)),
  );

  it('is read back as the same bytes, and shows nothing that cannot be seen', () => {
    fc.assert(
      fc.property(bytes, (name) => {
        const shown = displayBytes(name);
        expect(Buffer.from(bytesOfName(shown))).toEqual(Buffer.from(name));
        expect(shown).not.toMatch(/^ | $| {2}|(?! )[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/u);
      }),
      { numRuns: 2000 },
    );
  });

  it('of more than 200 characters shows its end, never half an escape', () => {
    const head = Buffer.from('word-'.repeat(60));
    const names = ['a', 'b', '\x00'].map((end) =>
      displayKey(Buffer.concat([head, Buffer.from(end)]), registry),
    );
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toMatch(/^word-.*….*\\x00$/);
    for (const name of names) expect(Array.from(name).length).toBeLessThanOrEqual(201);
  });
});
