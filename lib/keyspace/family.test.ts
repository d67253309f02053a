import { describe, expect, it } from 'vitest';
import { cpuMs } from '@/scripts/testing/cpu-time';
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
    ['guarded cache', { role: 'cache', guarded: true }, /not both/u],
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
  it('lets two families relate to each other, and none to itself or twice', () => {
    const params = { id: segment };
    const to = (family: string) => ({ family, params: { id: 'id' } });
    const author = define({ id: 'app.author', pattern: 'a:{id}', params, related: [to('app.list')] });
    const list = define({ id: 'app.list', pattern: 'l:{id}', params, related: [to('app.author')] });
    expect(createRegistry([author, list]).families).toHaveLength(2);
    const itself = define({ id: 'app.list', pattern: 'l:{id}', params, related: [to('app.list')] });
    expect(() => createRegistry([itself])).toThrow('a key is not related to itself');
    const both = [to('app.list'), to('app.list')];
    const twice = define({ id: 'app.author', pattern: 'a:{id}', params, related: both });
    expect(() => createRegistry([twice, list])).toThrow('is there twice');
    const ofNone = define({ id: 'app.set', pattern: 's', members: { family: 'app.author', param: 'name' } });
    expect(() => createRegistry([ofNone, author, list])).toThrow('{name}, which app.author does not have');
  });
  it('refuses the pattern of a role whose keys could not be built from its parts', () => {
    const flag = { role: 'flag', type: 'string', parts: { name: { param: 'name' } } } as const;
    const params = { name: segment, team: segment };
    expect(() => define({ ...flag, pattern: 'flag:{team}:{name}', params })).toThrow('has one parameter');
    const bans = { role: 'ban-list', type: 'set', parts: { address: { member: 'text' } } } as const;
    expect(() => define({ ...bans, pattern: 'ban:{team}', params: { team: segment } })).toThrow(
      'no parameters',
    );
  });
  it('gives a role that a connection has once to an own family, else to the first', () => {
    const presence = (app: string) =>
      define({
        id: `${app}.online`,
        pattern: `${app}:online`,
        type: 'set',
        role: 'presence',
        parts: { userId: { member: 'text' } },
      });
    const families = [presence('forum'), presence('parcels'), presence('shop')];
    const known = createRegistry(families);
    expect(known.role('presence')?.id).toBe('forum.online');
    expect(known.shadowed.map(({ family, by }) => [family.id, by.id])).toEqual([
      ['parcels.online', 'forum.online'],
      ['shop.online', 'forum.online'],
    ]);
    expect(createRegistry(families, new Set(['shop'])).role('presence')?.id).toBe('shop.online');
    expect(() => createRegistry(families, new Set(['parcels', 'shop']))).toThrow(
      'both have the role presence',
    );
  });
  it('knows nothing of an empty list', () => {
    expect(createRegistry([]).classify(Buffer.from('a'))).toEqual({ family: null, malformedOf: null });
  });
});

it('finds the family among many that begin alike, in time for long keys too', () => {
  const segments = Array.from({ length: 60 }, (_, i) =>
    define({ id: `app.a${i}`, pattern: `p:{x}:q${i}:{y}`, params: { x: segment, y: digits } }),
  );
  const wide = define({ id: 'app.wide', pattern: 'p:{x}/{y}', params: { x: anyText, y: digits } });
  const last = define({ id: 'app.last', pattern: 'p:{x}', params: { x: segment } });
  const registry = createRegistry([...segments, wide, last]);
  const of = (key: string) => registry.classify(Buffer.from(key));
  expect(of('p:a:q7:1')).toMatchObject({ family: { id: 'app.a7' }, params: { x: 'a', y: '1' } });
  expect(of('p:a:q7:x')).toMatchObject({ family: null });
  expect(of('p:a:q60:1/2')).toMatchObject({ family: { id: 'app.wide' }, params: { x: 'a:q60:1', y: '2' } });
  expect(of('p:é')).toMatchObject({ family: { id: 'app.last' }, params: { x: 'é' } });
  expect(of('p:\u0001')).toMatchObject({ family: null });
  const long = Buffer.from(`p:${'a'.repeat(65_000)}:q60:1`);
  const startedAt = cpuMs();
  for (let i = 0; i < 100; i++) expect(registry.locate(long).family).toBeNull();
  // One pass over the key for all of them; one for each would take seconds.
  expect(cpuMs() - startedAt).toBeLessThan(1000);
});
