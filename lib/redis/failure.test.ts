import { expect, it } from 'vitest';
import { Problem } from '@/lib/errors';
import { failureOf } from './failure';

it('blames the server for being out of reach, and for nothing else', () => {
  const gone = failureOf('main', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
  expect(gone).toBeInstanceOf(Problem);
  expect(gone).toMatchObject({ status: 503, extensions: { connection: 'main' } });
  for (const error of [
    new Error('WRONGTYPE of key'),
    new Error('ERR user_script:1: nil'),
    new TypeError('reply'),
  ])
    expect(failureOf('main', error)).toBe(error);
});
