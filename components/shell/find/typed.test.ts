import { describe, expect, it } from 'vitest';
import { typedQuery } from './typed';

const WORDS = { ban: 'ban', revoke: 'revoke', toggle: 'toggle', invalidate: 'invalidate' };
const typed = (query: string) => typedQuery(query, WORDS);

describe('a typed query', () => {
  it.each([
    ['ban 198.51.100.7', { verb: 'ban', text: '198.51.100.7', address: '198.51.100.7' }],
    ['  Revoke  ilya20 ', { verb: 'revoke', text: 'ilya20', address: null }],
    ['toggle FEATURE_X', { verb: 'toggle', text: 'FEATURE_X' }],
    ['banana', { verb: null, text: 'banana' }],
    ['ban', { verb: null, text: 'ban' }],
    ['2001:db8::7', { address: '2001:db8::7', verb: null }],
    ['chat:room', { address: null }],
    ['a:b:c', { address: 'a:b:c' }],
    ['#u1000', { userId: 'u1000' }],
    ['42', { userId: '42' }],
    ['ilya', { userId: null }],
    ['1B9D6BCD-bbfd-4b2d-9b5d-ab8dfbbd4bed', { id: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed' }],
    ['1b9d6bcd-bb', { id: '1b9d6bcd-bb' }],
    ['1b9d6b', { id: null }],
    ['', { text: '', verb: null, address: null, userId: null, id: null }],
  ])('%j', (query, expected) => {
    expect(typed(query)).toMatchObject(expected);
  });

  it('begins with the verb of the reader’s language, or the English one', () => {
    const russian = {
      ban: 'заблокировать',
      revoke: 'отозвать',
      toggle: 'переключить',
      invalidate: 'инвалидировать',
    };
    for (const query of ['переключить FEATURE_X', 'toggle FEATURE_X'])
      expect(typedQuery(query, russian)).toMatchObject({ verb: 'toggle', text: 'FEATURE_X' });
  });

  it('is cut where it is too long for a request', () => {
    expect(typed('x'.repeat(5000)).text).toHaveLength(100);
  });
});
