import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestContext, type TestContextOptions, testActor, testContext } from '@/scripts/testing/context';
import { completeLine } from './complete';

type Role = NonNullable<TestContextOptions['role']>;

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
afterAll(() => test.close());

describe('completion', () => {
  const complete = (line: string, role: Role = 'admin') =>
    completeLine(test.as({ actor: testActor(role) }), { line });
  const labels = async (line: string, role?: Role) =>
    (await complete(line, role)).suggestions.map(({ label }) => label);

  it('knows commands, subcommands, options and families, and who may run what', async () => {
    expect((await labels('ge')).slice(0, 2)).toEqual(['GEOADD', 'GEODIST']);
    expect(await labels('object enc')).toEqual(['OBJECT ENCODING']);
    expect(await labels('SET shop:a 1 E')).toEqual(['EX', 'EXAT']);
    expect(await labels('GET author:i')).toContain('author:id:{id}');
    expect((await labels('GET ')).filter((label) => label.startsWith('keyward:'))).toEqual([]);
    const { command, suggestions } = await complete('FLUSHA');
    expect([command, suggestions]).toMatchObject([null, [{ refused: true, page: 'invalidate' }]]);
    expect((await complete('SET a ', 'support')).command).toMatchObject({
      name: 'SET',
      kind: 'write',
      allowed: false,
      needs: 'keys:write',
      next: expect.stringMatching(/^value \[NX/),
    });
    expect(await complete('GET "auth')).toMatchObject({ from: 4 });
  });

  it('sends nothing to Redis while somebody types', async () => {
    await complete('GET a');
    const before = test.handle.own.commands;
    for (const line of ['G', 'GE', 'GET', 'GET a', 'SET author:id:1 x']) await complete(line);
    expect(test.handle.own.commands).toBe(before);
  });
});
