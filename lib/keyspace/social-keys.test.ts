import { describe, expect, it } from 'vitest';
import { APP_IDS, type AppId } from '@/lib/apps';
import { catalogFor } from './apps-of';
import { displayKey, holdsSecret } from './display';

const registry = catalogFor(APP_IDS);
const familyOf = (key: string, apps: readonly AppId[] = APP_IDS) =>
  catalogFor(apps).classify(Buffer.from(key)).family?.id ?? null;

/** A row per family: as documented, as really written, and with every text that an id or a name may contain. */
const KEYS: readonly (readonly [key: string, family: string])[] = [
  ['onlines', 'qianxun.onlines'],
  ['user:u1000', 'qianxun.user'],
  ['user:u_1000', 'qianxun.user'],
  ['user:*?[x]', 'qianxun.user'],
  ['user:👩‍👩‍👧', 'qianxun.user'],
  ['user:a|b <b>', 'qianxun.user'],
  [`user:${'x'.repeat(10_000)}`, 'qianxun.user'],
  ['groups:7:大学', 'qianxun.groups'],
  ['groups:7:a:b:c', 'qianxun.groups'],
  ['groups:u_1:', 'qianxun.groups?'],
  ['interests:7', 'qianxun.interests'],
  ['activity:a500', 'qianxun.activity'],
  ['activity:a500:participants', 'qianxun.activity-participants'],
  ['activity:u1000:own', 'qianxun.activity-own'],
  ['activity:u1000:in', 'qianxun.activity-in'],
  ['activity:own', 'qianxun.activity'],
  ['message:u1000:u1001', 'qianxun.message'],
  ['message:u1000:u1000', 'qianxun.message'],
  ['message:u1000', 'qianxun.message?'],
  ['topic:9:摄影', 'qianxun.topic'],
  ['topic:9:a:b|c', 'qianxun.topic'],
  ['chatgrp:7:list:friends', 'qianxun.chatgrp-list'],
  ['chatgrp:7:list:list:x', 'qianxun.chatgrp-list'],
  ['chatgrp:9:msg:a:msg:b', 'qianxun.chatgrp-msg'],
  ['chatgrp:9:list:msg:b', 'qianxun.chatgrp-list'],
  ['4', 'minidouyin.user'],
  ['toni123456', 'minidouyin.user-token'],
  ['follows_4', 'minidouyin.follows'],
  ['follows_toni123456', 'minidouyin.follows-token'],
  ['follows_to_ni:12 34', 'minidouyin.follows-token'],
  ['followers_4', 'minidouyin.followers'],
  ['video_27', 'minidouyin.video'],
  ['publish_4', 'minidouyin.publish'],
  ['user_like_4', 'minidouyin.user-like'],
  ['comment_9', 'minidouyin.comment'],
  ['video_comment_27', 'minidouyin.video-comment'],
  ['msg_3', 'minidouyin.msg'],
  ['content_3', 'minidouyin.content'],
  ['msgRecord_1_4', 'minidouyin.msg-record'],
  ['msgRecord_4_1', 'minidouyin.msg-record'],
  ['chatrec_9_10', 'minidouyin.chatrec'],
  ['chatrec_10_9', 'minidouyin.chatrec'],
  ['friend_10_9', 'minidouyin.friend'],
  ['friend_9_10', 'minidouyin.friend'],
  ['friend_1', 'minidouyin.friend?'],
  ['friendlist_4', 'minidouyin.friendlist'],
];

describe('the keys of the social and the short-video application', () => {
  it.each(KEYS)('%.60s: %s', (key, family) => {
    const found = registry.classify(Buffer.from(key));
    const isMalformed = family.endsWith('?');
    expect(found.family?.id ?? `${found.family === null ? found.malformedOf?.id : ''}?`).toBe(family);
    // The same where the application is alone.
    const app = family.slice(0, family.indexOf('.')) as AppId;
    expect(familyOf(key, [app])).toBe(isMalformed ? null : family);
  });

  it('are documented as in the documents; what is really written is drift, where it is not tolerated', () => {
    const types = (id: string) => {
      const { type, otherTypes = [] } = registry.mustGet(id);
      return [type, ...otherTypes];
    };
    expect(types('minidouyin.user-like')).toEqual(['set']);
    expect(types('minidouyin.friendlist')).toEqual(['set']);
    expect(types('minidouyin.video-comment')).toEqual(['zset']);
    expect(types('qianxun.activity-own')).toEqual(['zset', 'list']);
    expect(types('qianxun.activity-in')).toEqual(['zset', 'list']);
    for (const family of registry.families)
      if (family.app === 'minidouyin')
        expect([family.id, family.ttl]).toEqual([family.id, { seconds: 18_000 }]);
  });

  it('are conversations where they have messages, and no caches then', () => {
    const conversations = registry.withRole('conversation');
    expect(conversations.map(({ id }) => id)).toEqual([
      'minidouyin.msg-record',
      'minidouyin.chatrec',
      'qianxun.message',
      'qianxun.topic',
      'qianxun.chatgrp-msg',
    ]);
    expect(conversations.filter(({ cache }) => cache)).toEqual([]);
  });
});

describe('secrets of the short-video application', () => {
  it.each(['toni123456', 'follows_toni123456', 'follows_to_ni:12 34', 'toni123456:invalidated'])(
    '%s is masked',
    (key) => {
      const bytes = Buffer.from(key);
      expect(displayKey(bytes, registry)).not.toMatch(/ni|123/);
      expect(holdsSecret(bytes, registry)).toBe(true);
    },
  );

  it('are in fields of both keys of a user', () => {
    for (const id of ['minidouyin.user', 'minidouyin.user-token'])
      expect(registry.mustGet(id).sensitiveFields).toEqual(['Passwd', 'Token']);
  });
});
