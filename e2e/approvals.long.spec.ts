import { Redis } from 'ioredis';
import { writeSession } from './app-session';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

test('support asks for more than its limit, an admin sees both previews and approves', async ({
  signInAs,
  anotherAs,
  state,
}) => {
  test.setTimeout(120_000);
  const redis = new Redis(state.carefulRedisUrl);
  const user = { id: uniqueId(), name: 'e2e-two-phones' };
  await writeSession(redis, user, { device: 'Phone in a taxi' });
  await writeSession(redis, user, { device: 'Desk at home' });
  const [asking, approving] = [await signInAs('support'), await anotherAs('admin')];

  await asking.goto(`/careful/sessions?user=${user.id}`);
  await asking.getByRole('button', { name: 'Revoke all sessions of this user' }).click();
  const drawer = asking.getByRole('dialog');
  await expect(drawer).toContainText('Up to 1 at once need no approval');
  await drawer.getByLabel('Reason').fill('Ticket 77: both phones stolen');
  await drawer.getByRole('button', { name: 'Revoke 2 sessions' }).click();
  const refusal = drawer.getByRole('alert').filter({ hasText: 'A second user must approve this' });
  await expect(refusal).toContainText('the role support may touch 1 at once');
  await expect(refusal.getByLabel('Reason')).toHaveValue('Ticket 77: both phones stolen');
  await expectAccessible(asking, 'approvals-ask');
  await refusal.getByRole('button', { name: 'Ask for approval' }).click();
  await expect(drawer).toContainText('Approval requested');
  expect(await redis.keys(`session:${user.id}:*`)).toHaveLength(2);

  await approving.goto('/careful/approvals');
  const row = approving.getByRole('row').filter({ hasText: `user ${user.id}` });
  await expect(row).toContainText('Ticket 77: both phones stolen');
  await expect(row).toContainText('Pending');
  await expectAccessible(approving, 'approvals');
  await row.getByRole('button', { name: /^Approve/ }).click();
  const deciding = approving.getByRole('dialog');
  const things = deciding.getByRole('row').filter({ hasText: 'Items' });
  await expect(things.getByRole('cell')).toHaveText(['2', '2']);
  await expect(deciding).toContainText('differs by more than 10');
  await expectAccessible(approving, 'approvals-approve');
  await deciding.getByLabel('Reason').fill('Asked by phone');
  await deciding.getByRole('button', { name: 'Approve' }).click();
  await expect(approving.getByText(/^Approved: Revoke sessions/)).toBeVisible();
  await expect(row).toHaveCount(0);
  expect(await redis.keys(`session:${user.id}:*`)).toEqual([]);
  redis.disconnect();
});
