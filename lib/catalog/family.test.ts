import { describe, expect, it } from 'vitest';
import { type FamilyDefinition, family } from './family';
import { anyText, digits, jwt, segment } from './grammar';
import { createRegistry } from './registry';

const base = { type: 'string', ttl: 'any', title: 'T', purpose: 'P' } as const;
const define = (over: Partial<FamilyDefinition>) =>
  family({ ...base, id: 'app.thing', pattern: 'thing', ...over });

describe('a broken definition is refused at once', () => {
  it.each<[string, Partial<FamilyDefinition>, RegExp]>([
    ['id without app', { id: 'thing' }, /Family thing: the id/u],
    ['id in camel case', { id: 'app.myThing' }, /the id/u],
    ['empty pattern', { pattern: '' }, /pattern is empty/u],
    ['open brace', { pattern: 'a:{id', params: { id: digits } }, /brace/u],
    ['empty parameter', { pattern: 'a:{}' }, /brace/u],
    ['odd parameter name', { pattern: 'a:{1d}' }, /not a word/u],
    ['parameter twice', { pattern: 'a:{id}:{id}', params: { id: digits } }, /twice/u],
    ['no grammar', { pattern: 'a:{id}' }, /no grammar for \{id\}/u],
    ['inherited name', { pattern: 'a:{constructor}' }, /no grammar for \{constructor\}/u],
    ['grammar too many', { pattern: 'a', params: { id: digits } }, /does not have/u],
    ['neighbours', { pattern: '{a}{b}', params: { a: digits, b: jwt } }, /nothing between/u],
    ['undetermined split', { pattern: '{a}:{b}', params: { a: anyText, b: anyText } }, /ambiguous/u],
    ['unknown secret', { sensitive: ['token'] }, /\{token\} is named/u],
    [
      'unknown relation parameter',
      { related: [{ family: 'app.x', params: { id: 'id' } }] },
      /\{id\} is named/u,
    ],
    ['TTL of nothing', { ttl: { seconds: 0 } }, /TTL/u],
    ['TTL upside down', { ttl: { minSeconds: 2, maxSeconds: 1 } }, /TTL/u],
    ['no title', { title: ' ' }, /title/u],
    ['guarded cache', { cache: true, guarded: true }, /not both/u],
  ])('%s', (_name, over, message) => expect(() => define(over)).toThrow(message));
});

describe('key', () => {
  const session = define({
    pattern: 's:{user}:{token}',
    params: { user: digits, token: jwt },
    sensitive: ['token'],
  });
  it('is built from all parameters and nothing else', () => {
    expect(session.key({ user: '1', token: 'a.b.c' }).toString()).toBe('s:1:a.b.c');
    expect(() => session.key({ user: '1' })).toThrow('app.thing: parameter {token} is missing');
    expect(() => session.key({ user: '1', token: 'a.b.c', x: '1' })).toThrow(
      'app.thing has no parameter {x}',
    );
  });
  it.each(['', '1a', ' 1', '-1', '１', '1'.repeat(33)])('refuses the user %j', (user) => {
    expect(() => session.key({ user, token: 'a.b.c' })).toThrow('{user} is not decimal digits');
  });
  it('never repeats a secret in an error', () => {
    expect(() => session.key({ user: '1', token: 'hunter2' })).toThrow(/^(?!.*hunter2)/u);
  });
  it('refuses parameters that would not read back', () => {
    const wide = define({ pattern: '{a}-{b}', params: { a: anyText, b: digits } });
    expect(wide.parse(wide.key({ a: 'x-1', b: '2' }))).toEqual({ a: 'x-1', b: '2' });
    const text = define({ pattern: 't:{a}', params: { a: segment } });
    expect(() => text.key({ a: '\ud800' })).toThrow('do not read back');
  });
});

describe('createRegistry', () => {
  const literal = define({ id: 'app.literal', pattern: 'x:id:{id}', params: { id: segment } });
  const loose = define({ id: 'app.loose', pattern: 'x:{kind}:{id}', params: { kind: segment, id: segment } });
  it('resolves the most literal first, whatever the order, and reports the overlap', () => {
    for (const families of [
      [literal, loose],
      [loose, literal],
    ]) {
      const registry = createRegistry(families);
      expect(registry.classify(Buffer.from('x:id:5'))).toEqual({ family: literal, params: { id: '5' } });
      expect(registry.classify(Buffer.from('x:od:5')).family).toBe(loose);
      expect(registry.overlaps).toEqual([
        { families: families.map((one) => one.id), example: 'x:id:1', winner: 'app.literal' },
      ]);
    }
  });
  it('refuses duplicates and relations to nothing', () => {
    expect(() => createRegistry([literal, literal])).toThrow('app.literal is declared twice');
    const lost = define({
      pattern: 'y:{id}',
      params: { id: digits },
      related: [{ family: 'app.none', params: { id: 'id' } }],
    });
    expect(() => createRegistry([lost])).toThrow('related app.none does not exist');
    const wrong = define({
      pattern: 'y:{id}',
      params: { id: digits },
      related: [{ family: 'app.loose', params: { id: 'id' } }],
    });
    expect(() => createRegistry([wrong, loose])).toThrow('wrong {kind}');
  });
  it('knows nothing of an empty list', () => {
    expect(createRegistry([]).classify(Buffer.from('a'))).toEqual({ family: null, malformedOf: null });
  });
});
