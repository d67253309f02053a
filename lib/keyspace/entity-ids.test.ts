import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntityDefinition } from './entities';
import { canonicalId, idOfParts, partsOf, refOf, sourceKey } from './entity-ids';
import { family } from './family';
import { anyText, digits, text } from './grammar';
import { createRegistry } from './registry';

const entity = (rest: Partial<EntityDefinition>): EntityDefinition => ({
  app: 'shop',
  kind: 'thing',
  title: 'Thing',
  branches: [],
  ...rest,
});
const plain = text('plain', ':', 'any text without ":"');
const product = entity({ kind: 'product' });
const room = entity({
  pair: { names: ['owner', 'name'], separator: ':', grammars: [plain, anyText] },
});
const chat = entity({
  pair: { names: ['a', 'b'], separator: '_', unordered: true, grammars: [digits, digits] },
});

describe('ids of entities', () => {
  it('are qualified by their application', () => {
    expect(refOf(product)).toBe('shop.product');
  });

  it('follow their grammar', () => {
    expect(partsOf(product, '7')).toEqual(new Map([['id', '7']]));
    for (const id of ['', '7a', '*', '7\n', '７']) expect(partsOf(product, id)).toBeNull();
    expect(idOfParts(product, { id: '7' })).toBe('7');
    expect(idOfParts(product, { id: 'x' })).toBeNull();
    expect(idOfParts(product, {})).toBeNull();
  });

  it('of a pair are split at the first separator', () => {
    expect(partsOf(room, 'u1:a:b')).toEqual(
      new Map([
        ['id', 'u1:a:b'],
        ['owner', 'u1'],
        ['name', 'a:b'],
      ]),
    );
    for (const id of ['u1', ':a', 'u1:', ':']) expect(partsOf(room, id)).toBeNull();
    expect(idOfParts(room, { owner: 'u1', name: 'a:b' })).toBe('u1:a:b');
    expect(idOfParts(room, { owner: 'u:1', name: 'a' })).toBeNull();
    expect(idOfParts(room, { id: 'u1:a' })).toBe('u1:a');
    expect(idOfParts(room, { owner: 'u1' })).toBeNull();
  });

  it('of an unordered pair are in order: by number, else by bytes', () => {
    expect(canonicalId(chat, '10_9')).toBe('9_10');
    expect(canonicalId(chat, '9_10')).toBe('9_10');
    expect(canonicalId(chat, '4_4')).toBe('4_4');
    expect(canonicalId(chat, '12345678901234567891_12345678901234567890')).toBe(
      '12345678901234567890_12345678901234567891',
    );
    expect(partsOf(chat, '10_9')).toEqual(
      new Map([
        ['id', '9_10'],
        ['a', '9'],
        ['b', '10'],
      ]),
    );
    expect(idOfParts(chat, { a: '10', b: '9' })).toBe('9_10');
    const named = entity({
      pair: { names: ['a', 'b'], separator: ':', unordered: true, grammars: [plain, plain] },
    });
    expect(canonicalId(named, 'u2:u10')).toBe('u10:u2');
    expect(canonicalId(named, 'é:z')).toBe('z:é');
    expect(canonicalId(named, 'a:b:c')).toBeNull();
  });

  it('are read back from their parts, in either order', () => {
    const named = entity({ pair: { names: ['a', 'b'], separator: '_', unordered: true } });
    const part = fc.string({ unit: fc.constantFrom(...'019_:|*?摄\\'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(part, part, (a, b) => {
        const id = idOfParts(named, { a, b });
        expect(idOfParts(named, { a: b, b: a })).toBe(id);
        if (id === null) return;
        const parts = partsOf(named, id)!;
        expect([parts.get('a'), parts.get('b')].sort()).toEqual([a, b].sort());
        expect(canonicalId(named, id)).toBe(id);
      }),
    );
  });

  it('may be any text that a key can hold', () => {
    const any = entity({ id: anyText });
    for (const id of ['a|b', '*?[x]\\', '👩‍👩‍👧', '<b>', 'x'.repeat(10_000)])
      expect(canonicalId(any, id)).toBe(id);
    expect(canonicalId(any, '\ud800')).toBeNull();
  });
});

describe('keys of a source', () => {
  const of = (id: string, pattern: string, params: Record<string, typeof anyText>) =>
    family({ id, pattern, params, type: 'set', ttl: 'any', title: id, purpose: id });
  const registry = createRegistry([
    of('shop.room', 'room:{owner}:{name}', { owner: plain, name: anyText }),
    of('shop.room-id', 'room:id:{id}', { id: digits }),
  ]);
  const source = { family: 'shop.room', params: { owner: 'owner', name: 'name' } };

  it('are made of the parts of an id', () => {
    expect(sourceKey(registry, source, partsOf(room, 'u1:a:*')!)?.toString()).toBe('room:u1:a:*');
  });
  it('are none where a part is missing, does not fit, or makes a key of another family', () => {
    expect(sourceKey(registry, source, new Map([['owner', 'u1']]))).toBeNull();
    expect(sourceKey(registry, { ...source, params: { owner: 'owner' } }, partsOf(room, 'u:a')!)).toBeNull();
    expect(sourceKey(registry, source, new Map([...partsOf(room, 'u:a')!, ['owner', 'u:1']]))).toBeNull();
    expect(sourceKey(registry, source, partsOf(room, 'id:5')!)).toBeNull();
    expect(sourceKey(registry, { ...source, family: 'shop.none' }, partsOf(room, 'u:a')!)).toBeNull();
  });
});
