import { describe, expect, it } from 'vitest';
import { bytesOfName } from '@/lib/visible-text';
import { keyIdsOf } from './key-bytes';

describe('a typed key', () => {
  it.each([
    ['author:id:7', Buffer.from('author:id:7')],
    ['автор:1', Buffer.from('автор:1')],
    ['a\\xffb\\x00', Buffer.from([0x61, 0xff, 0x62, 0x00])],
    ['a\\\\xff', Buffer.from('a\\xff')],
    ['a\\b\\xg1', Buffer.from('a\\b\\xg1')],
    [' spaces stay ', Buffer.from(' spaces stay ')],
  ])('%j is read as the bytes it stands for', (text, bytes) => {
    expect(Buffer.from(bytesOfName(text))).toEqual(bytes);
  });

  it('travels as base64url, each key once, empty lines left out', () => {
    const { keyIds, tooMany } = keyIdsOf('a?>\r\n\nb\na?>\n');
    expect(keyIds).toEqual(['a?>', 'b'].map((key) => Buffer.from(key).toString('base64url')));
    expect(tooMany).toBe(false);
  });

  it('is refused in lists longer than one request takes', () => {
    const text = Array.from({ length: 1001 }, (_, i) => `k${i}`).join('\n');
    expect(keyIdsOf(text).tooMany).toBe(true);
  });
});
