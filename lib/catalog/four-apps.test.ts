import { describe, expect, it } from 'vitest';
import { APP_IDS } from '@/lib/apps';
import { catalogFor } from './apps-of';
import { displayKey } from './display';

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
