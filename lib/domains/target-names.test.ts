import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appendIntent } from '@/lib/audit/log';
import type { AuditEntry } from '@/lib/audit/schema';
import { newId } from '@/lib/ids';
import { closeLimits } from '@/lib/rate-limits/limits';
import { store } from '@/lib/redis/store';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { CONNECTION, configureInterface, succeed } from '@/scripts/testing/interface';

const PROJECT = 'a'.repeat(24);
const OTHER = 'b'.repeat(24);
let test: TestContext;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limits-'));
  await writeFile(
    join(folder, 'projects.json'),
    `${JSON.stringify({ _id: { $oid: PROJECT }, name: 'Shop' })}\n`,
  );
  configureInterface();
  await closeLimits();
  test = await testContext({ limitsDir: folder });
});
afterAll(async () => {
  await closeLimits();
  await test.close();
  await rm(folder, { recursive: true, force: true });
});

it('names blocked projects, and families and projects of audit entries, where their names are known', async () => {
  const { items: families } = await succeed<{ items: { family: string; title: string }[] }>(
    'families.list',
    {},
  );
  const { family, title } = families[0]!;
  const targets = [
    ['families.invalidate', `${family} (id=4)`],
    ['families.invalidate', 'gone.family'],
    ['guard.projects.block', PROJECT],
    ['guard.rateLimits.reset', OTHER],
    ['guard.projects.block', '2 projects'],
    ['flags.set', PROJECT],
  ] as const;
  for (const [action, target] of targets) {
    const intent = { id: newId(), actor: testActor(), reason: null, input: null, requestId: null };
    await appendIntent(store(), { ...intent, action, target, connection: CONNECTION });
  }
  const named = async () => {
    const { items } = await succeed<{ items: AuditEntry[] }>('audit.list', { connection: CONNECTION });
    return items.map(({ target, targetName }) => [target, targetName]).reverse();
  };
  // The folder is waited for only briefly.
  await expect.poll(named).toEqual([
    [`${family} (id=4)`, title],
    ['gone.family', null],
    [PROJECT, 'Shop'],
    [OTHER, null],
    ['2 projects', null],
    [PROJECT, null],
  ]);
  await succeed('guard.projects.block', { projectIds: [PROJECT] });
  const blocked = await succeed<{ items: object[] }>('guard.projects.list', {});
  expect(blocked.items).toMatchObject([{ projectId: PROJECT, name: 'Shop', byKeyward: true }]);
});
