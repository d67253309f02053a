import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { listAudit } from '@/lib/audit/list';
import type { Command } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import type { Contract } from '@/lib/contract';
import { allPages } from '@/scripts/testing/all-pages';
import { testActor, testContext } from '@/scripts/testing/context';
import { annotateBans } from './annotate';
import { addToBlacklist, removeFromBlacklist } from './commands';
import { entryHistory } from './entry-history';
import { blockProjects, unblockProjects } from './project-commands';
import { guardContracts } from './schema';

const test = await testContext({ apps: ['hawk'] });
beforeEach(() => test.empty());
afterAll(() => test.close());

const run = <C extends Contract>(command: Command<C>, raw: object) =>
  runCommand(command, { actor: testActor('admin'), requestId: randomUUID(), connection: test.handle, raw });

const historyOf = async (entry: string, set: 'bans' | 'projects' = 'bans', page: object = {}) => {
  const input = guardContracts.entryHistory.input.parse({ set, entry, ...page });
  return guardContracts.entryHistory.result.parse(await entryHistory(test.ctx, input));
};
const did = ({ items }: Awaited<ReturnType<typeof historyOf>>) => items.map(({ action }) => action);

it('has what was done to an address, alone or among others, and nothing of others', async () => {
  await run(addToBlacklist, { ips: ['192.0.2.1', '192.0.2.10'], reason: 'flood' });
  await run(addToBlacklist, { ips: ['192.0.2.3'] });
  await run(annotateBans, { ips: ['192.0.2.1'], note: 'Ticket 7' });
  await run(annotateBans, { ips: ['192.0.2.1', '192.0.2.3'], note: 'Ticket 8' });
  await run(removeFromBlacklist, { ips: ['192.0.2.1', '192.0.2.3'] });
  const history = await historyOf('192.0.2.1');
  expect(did(history)).toEqual([
    'guard.blacklist.remove',
    'guard.blacklist.annotate',
    'guard.blacklist.annotate',
    'guard.blacklist.add',
  ]);
  expect(history.items.at(-1)).toMatchObject({ reason: 'flood', outcome: 'succeeded', undoneBy: null });
  expect(history.nextCursor).toBeNull();
  expect(did(await historyOf('192.0.2.10'))).toEqual(['guard.blacklist.add']);
  expect((await historyOf('198.51.100.1')).items).toEqual([]);
  const paged = await allPages((page) => historyOf('192.0.2.1', 'bans', page), 1);
  expect(paged).toEqual(history.items);
});

it('names the one entry that the list removes', async () => {
  await run(addToBlacklist, { ips: ['192.0.2.1'] });
  await run(removeFromBlacklist, { memberIds: [Buffer.from('192.0.2.1').toString('base64url')] });
  const { items } = await listAudit(test.ctx.store, {
    subject: 'address:192.0.2.1',
    connection: test.handle.config.id,
  });
  expect(items.map(({ action, target }) => `${action} ${target}`)).toEqual([
    'guard.blacklist.remove 192.0.2.1',
    'guard.blacklist.add 192.0.2.1',
  ]);
});

it('keeps projects apart from addresses', async () => {
  const [one, other] = ['a'.repeat(24), 'b'.repeat(24)];
  await run(blockProjects, { projectIds: [one, other] });
  await run(unblockProjects, { projectIds: [one] });
  expect(did(await historyOf(one, 'projects'))).toEqual(['guard.projects.unblock', 'guard.projects.block']);
  expect(did(await historyOf(other, 'projects'))).toEqual(['guard.projects.block']);
  expect((await historyOf(one)).items).toEqual([]);
});
