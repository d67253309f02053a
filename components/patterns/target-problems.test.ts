import { describe, expect, it } from 'vitest';
import { ApiProblem } from '@/lib/api-client';
import { duplicateJobOf, fieldProblems } from './target-problems';

const refused = (...paths: string[]) =>
  new ApiProblem(400, { code: 'bad_input', errors: paths.map((path) => ({ path, message: `of ${path}` })) });

describe('a refusal', () => {
  it('is shown at the field it is about', () => {
    const facts = ['entity.authorIds[2]', 'entity.facts.tags[1]', 'entity.facts.brand'];
    const others = ['params.id', 'entity.id', 'entity', 'keyIds[4]', 'pattern', 'family'];
    const problems = fieldProblems(refused(...others, ...facts));
    expect(Object.fromEntries(problems)).toEqual({
      id: 'of entity.id',
      '': 'of entity',
      authorIds: 'of entity.authorIds[2]',
      tags: 'of entity.facts.tags[1]',
      brand: 'of entity.facts.brand',
      keyIds: 'of keyIds[4]',
      pattern: 'of pattern',
      family: 'of family',
    });
  });

  it('of another kind is of no field', () => {
    expect(fieldProblems(new ApiProblem(403, { code: 'forbidden' })).size).toBe(0);
    expect(fieldProblems(null).size).toBe(0);
  });

  it('names the job it would have been beside', () => {
    expect(duplicateJobOf(new ApiProblem(409, { code: 'conflict', jobId: 'some-job' }))).toBe('some-job');
    expect(duplicateJobOf(new ApiProblem(409, { code: 'conflict' }))).toBeNull();
    expect(duplicateJobOf(new Error('x'))).toBeNull();
  });
});
