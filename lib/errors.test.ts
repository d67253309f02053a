import { expect, it } from 'vitest';
import { Problem } from './errors';

it('knows a problem made by another copy of its module', () => {
  const other = Object.assign(new Error('away'), { name: 'Problem', code: 'unreachable', status: 503 });
  expect(other instanceof Problem).toBe(true);
  expect(new Problem('conflict', 'x') instanceof Problem).toBe(true);
  expect(new Error('x') instanceof Problem).toBe(false);
  expect(Object.assign(new Error('x'), { name: 'Problem', code: 'toString' }) instanceof Problem).toBe(false);
  expect((null as unknown) instanceof Problem).toBe(false);
});

it('says what its code means and nothing of its cause', () => {
  const problem = new Problem('changed', 'It changed.', {
    extensions: { etag: 'e' },
    cause: new Error('secret'),
  });
  expect(problem.toDocument('r1')).toEqual({
    type: 'urn:keyward:problem:changed',
    title: 'The value changed since you read it',
    status: 412,
    detail: 'It changed.',
    code: 'changed',
    requestId: 'r1',
    etag: 'e',
  });
});
