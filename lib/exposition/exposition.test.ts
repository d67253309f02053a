import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseInput } from '@/lib/command/validate';
import { registerFigures } from '@/lib/figures/registry';
import type { Permission } from '@/lib/permissions';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { listFigures } from './reads';
import { expositionContracts } from './schema';

const definition = (name: string, permission: Permission) => ({
  name,
  help: `About ${name}.`,
  unit: 'count' as const,
  labels: ['of'],
  permission,
});

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'hawk'] });
  registerFigures([
    {
      definitions: [definition('keyward_listed_b', 'guard:view'), definition('keyward_listed_a', 'view')],
      read: async ({ now }) => [
        { name: 'keyward_listed_a', labels: { of: 'x' }, value: 1, at: now },
        { name: 'keyward_listed_b', labels: { of: 'y' }, value: 2, at: now },
      ],
    },
  ]);
});
beforeEach(async () => {
  forget('figures');
  await test.empty();
});
afterAll(() => test.close());

describe('figures.list', () => {
  const list = (role: 'admin' | 'viewer', input: Record<string, unknown> = {}) =>
    listFigures(
      { ...test.ctx, actor: testActor(role) },
      parseInput(expositionContracts.figures, { q: 'keyward_listed', ...input }),
    );

  it('has the newest values of what the role may see, by name', async () => {
    const { items } = await list('admin');
    expect(items.map(({ name, values }) => [name, values[0]])).toMatchObject([
      ['keyward_listed_a', { labels: { of: 'x' }, value: 1 }],
      ['keyward_listed_b', { labels: { of: 'y' }, value: 2 }],
    ]);
    expect((await list('viewer')).items.map(({ name }) => name)).toEqual(['keyward_listed_a']);
  });

  it('is searched in name and help, and paged', async () => {
    expect((await list('admin', { q: 'about KEYWARD_LISTED_B' })).items.map(({ name }) => name)).toEqual([
      'keyward_listed_b',
    ]);
    const first = await list('admin', { limit: 1 });
    expect((await list('admin', { limit: 1, cursor: first.nextCursor })).items[0]!.name).toBe(
      'keyward_listed_b',
    );
  });
});
