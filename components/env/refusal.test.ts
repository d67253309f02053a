import { describe, expect, it } from 'vitest';
import { ApiProblem } from '@/lib/api-client';
import { refusalOf } from './refusal';

const PATHS = ['value', 'name'];

describe('a refusal', () => {
  it('offers to save anyway where only guesses speak against it', () => {
    const error = new ApiProblem(409, {
      code: 'value_doubtful',
      detail: 'all',
      doubts: [
        { code: 'name', message: 'one' },
        { code: 'value', message: 'two' },
      ],
    });
    expect(refusalOf(error, PATHS).doubts).toMatchObject([{ message: 'one' }, { message: 'two' }]);
    const short = new ApiProblem(409, { code: 'value_doubtful', detail: 'all' });
    expect(refusalOf(short, PATHS).doubts).toMatchObject([{ message: 'all' }]);
  });

  it('shows who was overtaken what is there now', () => {
    const now = { etag: 'e', valueType: 'string', lengthBytes: 1, secret: false, value: 'y' };
    const error = new ApiProblem(412, { code: 'changed', detail: 'changed', ...now });
    expect(refusalOf(error, PATHS)).toMatchObject({ present: now, rest: null });
    const bare = new ApiProblem(412, { code: 'changed', detail: 'changed' });
    expect(refusalOf(bare, PATHS)).toMatchObject({ present: null, rest: bare });
  });

  it('says beside a field what is wrong with it, and everything else as a whole', () => {
    const errors = [{ path: 'value', message: 'NUL' }];
    const bad = new ApiProblem(400, { code: 'bad_input', errors });
    expect(refusalOf(bad, PATHS)).toMatchObject({ fields: { value: 'NUL' }, rest: null });
    const other = new ApiProblem(400, {
      code: 'bad_input',
      errors: [...errors, { path: 'reason', message: 'long' }],
    });
    expect(refusalOf(other, PATHS)).toMatchObject({ fields: {}, rest: other });
    const broken = new Error('x');
    expect(refusalOf(broken, PATHS).rest).toBe(broken);
    expect(refusalOf(null, PATHS).rest).toBeNull();
  });
});
