import { describe, expect, it } from 'vitest';
import { APP_IDS } from '@/lib/apps';
import { catalogFor } from './apps-of';
import { type EntityDefinition, type RelationDefinition, sourcesOf } from './entities';
import { entityBranches } from './entity-branches';
import { idOfParts, partsOf, refOf, sourceKey } from './entity-ids';

const registry = catalogFor(APP_IDS);

const relationOf = (ref: string, id: string): RelationDefinition => {
  const found = registry.entity(ref)?.relations?.find((relation) => relation.id === id);
  if (!found) throw new Error(`${ref} has no relation ${id}`);
  return found;
};

/** The keys of a relation of an entity, with `*` for what is found by scanning. */
const keysOf = (ref: string, id: string, relation: string, alias?: string) => {
  const parts = new Map(partsOf(registry.entity(ref)!, id));
  if (alias !== undefined) parts.set('alias', alias);
  return sourcesOf(relationOf(ref, relation)).map((source) => {
    const params = Object.fromEntries(
      Object.entries(source.params).map(([name, of]) => [name, parts.get(of)]),
    );
    return sourceKey(registry, source, parts)?.toString() ?? registry.mustGet(source.family).match(params);
  });
};

describe('the entities of four applications in one Redis', () => {
  it('are found by kind where one application has it, else qualified', () => {
    expect(registry.entities.map(refOf)).toEqual([
      ...['author', 'topic', 'shout'].map((kind) => `discours.${kind}`),
      ...['user', 'video', 'comment', 'chat', 'message', 'friendship'].map((kind) => `minidouyin.${kind}`),
      ...['user', 'activity', 'chat', 'room', 'chat-group', 'friend-group'].map((kind) => `qianxun.${kind}`),
    ]);
    expect(registry.entity('user')).toBeUndefined();
    expect(registry.entitiesOf('user').map(refOf)).toEqual(['minidouyin.user', 'qianxun.user']);
    expect(registry.entity('qianxun.user')?.app).toBe('qianxun');
    expect(registry.entity('video')?.app).toBe('minidouyin');
    expect(catalogFor(['qianxun']).entity('user')?.app).toBe('qianxun');
  });

  it.each(registry.entities.map((entity) => [refOf(entity), entity] as const))(
    '%s: each side of a relation leads back to the other',
    (_, { app, kind, relations = [] }) => {
      for (const { id, kind: to, inverse } of relations) {
        if (inverse === undefined) continue;
        const back = relationOf(`${app}.${to}`, inverse);
        expect([back.kind, back.inverse]).toEqual([kind, id]);
      }
    },
  );

  it.each(registry.entities.map((entity) => [refOf(entity), entity] as const))(
    '%s: its rule reaches caches only, and no key that a secret names',
    (_, entity) => {
      const [first, second] = entity.pair?.names ?? [];
      const id = idOfParts(entity, first && second ? { [first]: '1', [second]: '2' } : { id: '1' })!;
      for (const { target } of entityBranches(entity, id, { slug: 's' })) {
        if (target === null || !('family' in target)) continue;
        const { id: family, cache, sensitive = [] } = registry.mustGet(target.family);
        expect([family, cache, sensitive]).toEqual([family, true, []]);
      }
    },
  );

  it.each<[ref: string, families: string[]]>([
    [
      'qianxun.user',
      ['user', 'groups', 'interests', 'activity-own', 'activity-in'].map((name) => `qianxun.${name}`),
    ],
    ['qianxun.activity', ['qianxun.activity', 'qianxun.activity-participants']],
    ['qianxun.chat', []],
    ['qianxun.room', []],
    ['qianxun.chat-group', []],
    ['minidouyin.video', ['minidouyin.video', 'minidouyin.video-comment']],
    ['minidouyin.chat', []],
    ['minidouyin.message', []],
  ])('%s: an invalidation deletes these families', (ref, families) => {
    const { branches } = registry.entity(ref) as EntityDefinition;
    expect(branches.map((branch) => ('family' in branch ? branch.family : branch.prefix))).toEqual(families);
  });
});

describe('what belongs to an entity', () => {
  it.each<[ref: string, id: string, relation: string, keys: string[]]>([
    ['qianxun.user', 'u1', 'friend-groups', ['groups:u1:*']],
    ['qianxun.user', 'u1', 'interests', ['interests:u1']],
    ['qianxun.user', 'u1', 'own', ['activity:u1:own']],
    ['qianxun.user', 'u*', 'joined', ['activity:u*:in']],
    ['qianxun.user', 'u*', 'chats', ['message:u\\*:*', 'message:*:u\\*']],
    ['qianxun.user', 'u1', 'chat-groups', ['chatgrp:u1:list:*']],
    ['qianxun.user', 'u1', 'online', ['onlines']],
    ['qianxun.activity', 'a_500', 'participants', ['activity:a_500:participants']],
    ['qianxun.chat-group', 'u1:a:b', 'members', ['chatgrp:u1:list:a:b']],
    ['qianxun.friend-group', 'u1:🏔:|', 'friends', ['groups:u1:🏔:|']],
    ['minidouyin.user', '4', 'follows', ['follows_4', 'follows_*']],
    ['minidouyin.user', '4', 'followers', ['followers_4']],
    ['minidouyin.user', '4', 'published', ['publish_4']],
    ['minidouyin.user', '4', 'likes', ['user_like_4']],
    ['minidouyin.user', '4', 'friends', ['friendlist_4']],
    ['minidouyin.user', '4', 'friendships', ['friend_4_*', 'friend_*_4']],
    ['minidouyin.user', '4', 'chats', ['chatrec_4_*', 'chatrec_*_4', 'msgRecord_4_*', 'msgRecord_*_4']],
    ['minidouyin.video', '27', 'comments', ['video_comment_27']],
    [
      'minidouyin.chat',
      '10_9',
      'messages',
      ['chatrec_9_10', 'chatrec_10_9', 'msgRecord_9_10', 'msgRecord_10_9'],
    ],
    ['discours.author', '12', 'follows', ['author:follows-authors:12']],
    ['discours.author', '12', 'sessions', ['user_sessions:12']],
    ['discours.topic', '5', 'followers', ['topic:followers:5']],
  ])('%s %s: %s', (ref, id, relation, keys) => {
    expect(keysOf(ref, id, relation)).toEqual(keys);
  });

  it('is under the name and password of a user as well', () => {
    expect(keysOf('minidouyin.user', '4', 'follows', 'toni123456')).toEqual([
      'follows_4',
      'follows_toni123456',
    ]);
    // A name and password that are digits make the key of an id, which is another user's.
    const [, byAlias] = sourcesOf(relationOf('minidouyin.user', 'follows'));
    expect(sourceKey(registry, byAlias!, new Map([['alias', '123']]))).toBeNull();
  });

  it('is no key that belongs to another application', () => {
    const room = registry.entity('qianxun.room')!;
    const [source] = room.conversation!.keys;
    expect(sourceKey(registry, source!, partsOf(room, '9:摄影')!)?.toString()).toBe('topic:9:摄影');
    expect(sourceKey(registry, source!, partsOf(room, 'id:5')!)).toBeNull();
  });

  it('tells who wrote which half of a chat', () => {
    const chat = registry.entity('qianxun.chat')!;
    const parts = partsOf(chat, 'u2:u10')!;
    expect(
      chat.conversation!.keys.map((key) => [
        sourceKey(registry, key, parts)?.toString(),
        parts.get(key.sender!),
      ]),
    ).toEqual([
      ['message:u10:u2', 'u10'],
      ['message:u2:u10', 'u2'],
    ]);
  });
});
