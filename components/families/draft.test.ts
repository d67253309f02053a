import { describe, expect, it } from 'vitest';
import { ENTITY_KINDS } from '@/scripts/testing/entity-kinds';
import {
  DRAFT_FIELDS,
  type Draft,
  draftOf,
  fieldsOf,
  kindsOf,
  narrowedTo,
  pairsOf,
  targetOf as targetIn,
} from './draft';

const draft = (change: Partial<Draft>): Draft => ({ ...draftOf(DRAFT_FIELDS), ...change });
const targetOf = (typed: Draft, pairsParam: string | null = null) =>
  targetIn(typed, pairsParam, ENTITY_KINDS);

describe('what a drawer names', () => {
  it('is a family, with those of its parameters that are given', () => {
    const target = (params: Record<string, string>) =>
      targetOf(draft({ family: 'discours.shouts', params }), 'params');
    expect(target({})).toEqual({ family: 'discours.shouts' });
    expect(target({ params: 'author=12*: limit=10' })).toEqual({
      family: 'discours.shouts',
      params: { author: '12*', limit: '10' },
    });
    expect(target({ params: 'author' })).toBeNull();
    expect(target({ id: '7', name: '' })).toEqual({ family: 'discours.shouts', params: { id: '7' } });
    expect(targetOf(draft({}))).toBeNull();
  });

  it('is an entity with what narrows it, and nothing of another kind', () => {
    const facts = { slug: 'some-slug', authorIds: '1, 2 3', topicIds: '', other: 'x' };
    const typed = { by: 'entity', id: '7', facts } as const;
    expect(targetOf(draft({ ...typed, entity: 'author' }))).toEqual({
      entity: { kind: 'author', id: '7', facts: { slug: 'some-slug' } },
    });
    expect(targetOf(draft({ ...typed, entity: 'shout' }))).toEqual({
      entity: { kind: 'shout', id: '7', facts: { authorIds: ['1', '2', '3'] } },
    });
    // The first kind, where the address names none that the connection has.
    for (const entity of ['', 'planet'])
      expect(targetOf(draft({ by: 'entity', id: '7', entity }))).toEqual({
        entity: { kind: 'author', id: '7' },
      });
    expect(targetOf(draft({ by: 'entity' }))).toBeNull();
    expect(targetIn(draft({ by: 'entity', id: '7' }), null, [])).toBeNull();
  });

  it('is an entity only where the catalog has such', () => {
    expect(kindsOf(ENTITY_KINDS)).toEqual(['family', 'entity', 'pattern', 'keys']);
    expect(kindsOf([])).toEqual(['family', 'pattern', 'keys']);
  });

  it('is a pattern or keys, once there are some', () => {
    expect(targetOf(draft({ by: 'pattern', pattern: 'a:*' }))).toEqual({ pattern: 'a:*' });
    expect(targetOf(draft({ by: 'pattern' }))).toBeNull();
    expect(targetOf(draft({ by: 'keys', keys: 'a\n\n' }))).toEqual({ keyIds: ['YQ'] });
    expect(targetOf(draft({ by: 'keys', keys: '\n' }))).toBeNull();
  });

  it('leaves branches out by their place', () => {
    const target = { entity: { kind: 'author', id: '7' } };
    const branches = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
    expect(narrowedTo(target, branches, [])).toBe(target);
    expect(narrowedTo(target, branches, [1])).toEqual({ entity: { ...target.entity, branches: ['a', 'c'] } });
    expect(narrowedTo(target, branches, [0, 1, 2])).toBeNull();
    expect(narrowedTo(target, branches, [9])).toBe(target);
  });
});

describe('pairs', () => {
  it.each([
    ['author=123', [['author', '123']]],
    ['a=b=c', [['a', 'b=c']]],
    ['', []],
    ['=1', null],
    ['a=', null],
  ])('of %j are read', (text, pairs) => expect(pairsOf(text)).toEqual(pairs));
});

describe('a draft in the address', () => {
  it('is read back as it was written', () => {
    const drafts = [
      draft({ family: 'discours.shouts', params: { params: 'author=1&2:limit=*', id: '%' } }),
      draft({ by: 'pattern', pattern: 'a[b-c]\\*é*' }),
      draft({ by: 'entity', entity: 'shout', id: '7', facts: { authorIds: '1,2' }, without: [0, 11] }),
    ];
    for (const written of drafts) expect(draftOf(fieldsOf(written))).toEqual(written);
    expect(fieldsOf(draft({}))).toEqual(DRAFT_FIELDS);
  });

  it('has no exact key, and nothing that may be a token', () => {
    const token = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9';
    const text = JSON.stringify([
      fieldsOf(draft({ by: 'keys', keys: 'author:id:81' })),
      fieldsOf(draft({ by: 'pattern', pattern: `session:1:${token}*` })),
      fieldsOf(draft({ family: 'discours.session', params: { jwt: token } })),
    ]);
    expect(text).not.toContain('author:id:81');
    expect(text).not.toContain(token);
  });

  it('is the default where it is nonsense', () => {
    expect(draftOf({ ...DRAFT_FIELDS, by: 'x', without: '1,x' })).toEqual(draft({}));
  });
});
