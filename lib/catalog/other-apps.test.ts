import { describe, expect, it } from 'vitest';
import { APP_IDS, type AppId } from '@/lib/apps';
import { catalogFor } from './apps-of';
import { displayKey } from './display';

/** Every row of 001 and 002, and what the real short-video application writes. */
const rows: Readonly<Record<string, readonly (readonly [key: string, family: string])[]>> = {
  minidouyin: [
    ['4', 'user'],
    ['toni123456', 'user-token'],
    ['13800138000123456', 'user-token'],
    ['video_27', 'video'],
    ['publish_4', 'publish'],
    ['follows_toni123456', 'follows-token'],
    ['follows_4', 'follows'],
    ['user_like_4', 'user-like'],
    ['followers_4', 'followers'],
    ['comment_9', 'comment'],
    ['video_comment_27', 'video-comment'],
    ['msg_3', 'msg'],
    ['content_3', 'content'],
    ['msgRecord_1_4', 'msg-record'],
    ['chatrec_1_4', 'chatrec'],
    ['friendlist_4', 'friendlist'],
    ['friend_1_4', 'friend'],
  ],
  qianxun: [
    ['onlines', 'onlines'],
    ['user:7', 'user'],
    ['groups:7:大学', 'groups'],
    ['interests:7', 'interests'],
    ['activity:3', 'activity'],
    ['activity:3:participants', 'activity-participants'],
    ['activity:7:own', 'activity-own'],
    ['activity:7:in', 'activity-in'],
    ['message:1:2', 'message'],
    ['topic:9:摄影', 'topic'],
    ['chatgrp:7:list:friends', 'chatgrp-list'],
    ['chatgrp:9:msg:friends', 'chatgrp-msg'],
  ],
};

describe.each(Object.entries(rows))('every row of %s', (app, table) => {
  const registry = catalogFor([app as AppId]);
  it.each(table)('%s is of family %s', (key, name) => {
    expect(registry.classify(Buffer.from(key)).family?.id).toBe(`${app}.${name}`);
  });
  it('reaches every family', () => {
    const declared = registry.families.filter((family) => family.app === app).map((family) => family.id);
    expect(new Set(table.map(([, name]) => `${app}.${name}`))).toEqual(new Set(declared));
  });
});

describe('four applications in one Redis', () => {
  const registry = catalogFor(APP_IDS);
  it('give the key to the more literal family, and say so', () => {
    expect(registry.classify(Buffer.from('topic:id:5')).family?.id).toBe('discours.topic-id');
    expect(registry.classify(Buffer.from('topic:9:art')).family?.id).toBe('qianxun.topic');
    expect(registry.overlaps).toContainEqual({
      families: ['discours.topic-id', 'qianxun.topic'],
      example: 'topic:id:1',
      winner: 'discours.topic-id',
    });
    expect(registry.classify(Buffer.from('feed')).family?.id).toBe('discours.feed');
    expect(registry.classify(Buffer.from('4')).family?.id).toBe('minidouyin.user');
  });
  it('do not take malformed keys for bare tokens', () => {
    expect(registry.classify(Buffer.from('video_abc'))).toMatchObject({
      malformedOf: { id: 'minidouyin.video' },
    });
    expect(registry.classify(Buffer.from('topic_shouts_x'))).toMatchObject({
      malformedOf: { id: 'discours.topic-shouts' },
    });
  });
  it('never show a bare token, also where it fits no grammar', () => {
    for (const key of ['toni123456', 'to_ni123456', 'to ni123456', '13800138000123456']) {
      expect(displayKey(Buffer.from(key), registry)).toBe('•••');
    }
    expect(displayKey(Buffer.from('follows_toni123456'), registry)).toBe('follows_•••');
    expect(displayKey(Buffer.from('follows_to_ni123456'), registry)).toBe('follows_•••');
    expect(displayKey(Buffer.from('4'), registry)).toBe('4');
  });
});
