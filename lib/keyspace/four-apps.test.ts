import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APP_IDS, type AppId } from '@/lib/apps';
import { catalogFor } from './apps-of';
import { displayKey, holdsSecret } from './display';
import type { Family } from './family';

const located = (key: string, apps: readonly AppId[] = APP_IDS) => {
  const { family, candidate } = catalogFor(apps).locate(Buffer.from(key));
  return { family: family?.id ?? null, candidate: candidate?.id ?? null };
};

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

  it('give it to the family with the most literal segments', () => {
    const segments = ({ compiled }: Family) =>
      compiled.source.split(':').filter((part) => part !== '' && !part.includes('{')).length;
    // A marker wins over the family it marks, and the console over everybody.
    const plain = registry.overlaps.filter(({ winner }) => {
      const { app, innerKey } = registry.mustGet(winner);
      return app !== 'console' && innerKey === undefined;
    });
    expect(plain.length).toBeGreaterThan(10);
    for (const { families, winner } of plain) {
      const most = Math.max(...families.map((id) => segments(registry.mustGet(id))));
      expect([families, segments(registry.mustGet(winner))]).toEqual([families, most]);
    }
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

describe('the ids of qianxun', () => {
  const id = fc
    .string({ unit: fc.oneof(fc.constantFrom(...'u1a5_-/ 摄'), fc.string({ minLength: 1, maxLength: 1 })) })
    .filter((text) => text !== '' && !text.includes(':'));
  it('are any text without ":"', () => {
    const registry = catalogFor(['qianxun']);
    const [user, own] = ['qianxun.user', 'qianxun.activity-own'].map((name) => registry.mustGet(name));
    fc.assert(
      fc.property(id, (text) => {
        expect(registry.classify(user!.key({ id: text }))).toEqual({ family: user, params: { id: text } });
        expect(registry.classify(own!.key({ user_id: text })).family).toBe(own);
        expect(registry.classify(Buffer.from(`user:${text}:x`)).family).toBeNull();
      }),
    );
  });
  it('leave the keys of discours to discours', () => {
    expect(located('topic:id:5').family).toBe('discours.topic-id');
    expect(located('topic:u1000:5').family).toBe('qianxun.topic');
  });
});

describe('bare keys', () => {
  it('are identified by their fields, whatever their name suggests', () => {
    expect(located('4')).toEqual({ family: 'minidouyin.user', candidate: 'minidouyin.user' });
    for (const key of ['toni123456', 'users-online'])
      expect(located(key)).toEqual({ family: 'minidouyin.user-token', candidate: 'minidouyin.user-token' });
    for (const key of ['video_bob123', 'a/b', 'a:b', 'to ni', ''])
      expect(located(key)).toEqual({ family: null, candidate: 'minidouyin.user-token' });
    for (const key of ['video_27', 'author:id:1', 'keyward:users'])
      expect([key, located(key).candidate]).toEqual([key, null]);
    expect(located('a/b', ['discours', 'hawk'])).toEqual({ family: null, candidate: null });
  });

  const password = fc.stringMatching(/^[a-z]{3,8}[0-9]{3,8}$/);
  const name = fc.oneof(
    fc.stringMatching(/^[a-z]{2,8}$/),
    fc
      .tuple(
        fc.constantFrom('video', 'msg', 'topic', 'author', 'comment', 'friend'),
        fc.constantFrom('_', ':', '/', ' '),
        fc.stringMatching(/^[a-z]{2,8}$/),
      )
      .map((parts) => parts.join('')),
  );
  it.each([[['minidouyin']], [['minidouyin', 'discours', 'hawk']], [[...APP_IDS]]] as [AppId[]][])(
    'of a name and a password are masked where %j are in use, unless they surely are another family',
    (apps) => {
      const registry = catalogFor(apps);
      fc.assert(
        fc.property(name, password, (user, secret) => {
          const key = Buffer.from(user + secret);
          const { family } = registry.locate(key);
          fc.pre(family === null || family.identifyingFields !== undefined);
          expect(displayKey(key, registry)).not.toContain(secret);
          expect(displayKey(key, registry)).not.toContain(user);
          expect(holdsSecret(key, registry)).toBe(true);
          const marker = Buffer.from(`${user}${secret}:invalidated`);
          expect(displayKey(marker, registry)).not.toContain(secret);
        }),
        { numRuns: 500 },
      );
    },
  );
});
