import { describe, expect, it } from 'vitest';
import { catalogFor } from './apps-of';
import { ENTITY_KINDS, type EntityFacts, type EntityKind, invalidationTargets } from './rules';

const registry = catalogFor(['discours']);

const globs = (kind: EntityKind, id: string, facts?: EntityFacts) =>
  invalidationTargets(kind, id, facts).map(({ target }) =>
    target === null
      ? null
      : 'prefix' in target
        ? `${target.prefix}*`
        : registry.mustGet(target.family).match(target.params),
  );

describe('invalidation rules in use', () => {
  it('author', () => {
    expect(globs('author', '12', { slug: 'anna' })).toEqual([
      'author:id:12',
      'author:slug:anna',
      'author:followers:12',
      'author:follows-topics:12',
      'author:follows-authors:12',
      'author:follows-shouts:12',
      'author:follows-communitys:12',
      'follows:author:12',
    ]);
  });
  it('topic', () => {
    expect(globs('topic', '5', { slug: 'art' })).toEqual([
      'topic:id:5',
      'topic:slug:art',
      'topic:authors:5',
      'topic:followers:5',
      'topic_shouts_5',
      'topics:stats:*',
    ]);
  });
  it('shout', () => {
    const single = ['feed', 'recent', 'unrated', 'random_top', 'coauthored'];
    expect(globs('shout', '9', { authorIds: ['1', '2'], topicIds: ['5'] })).toEqual([
      ...single,
      ...['author_1', 'author_2', 'authored_1', 'authored_2', 'topic_5', 'topic_shouts_5', 'shouts:*'],
    ]);
    expect(globs('shout', '9')).toEqual([
      ...single,
      'author_*',
      'authored_*',
      'topic_*',
      'topic_shouts_*',
      'shouts:*',
    ]);
    expect(invalidationTargets('shout', '9').filter((branch) => branch.wider)).toHaveLength(4);
  });
  it('says where a slug can be read while it is not known', () => {
    expect(invalidationTargets('topic', '5').find((branch) => branch.id === 'topic-slug')).toMatchObject({
      target: null,
      lookup: { family: 'discours.topic-id', params: { id: '5' }, field: 'slug' },
    });
  });
  it('refuses an id that is not a number', () => {
    expect(() => invalidationTargets('author', '*')).toThrow('decimal digits');
  });
  it.each(ENTITY_KINDS)('%s: branch ids are unique and reach caches only', (kind) => {
    const branches = invalidationTargets(kind, '1', {
      slug: 's',
      authorIds: ['1', '2'],
      topicIds: ['1', '2'],
    });
    expect(new Set(branches.map((branch) => branch.id)).size).toBe(branches.length);
    for (const { target } of branches) {
      if (target !== null && 'family' in target) expect(registry.mustGet(target.family).cache).toBe(true);
    }
  });
});
