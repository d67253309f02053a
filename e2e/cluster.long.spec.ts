import { Cluster, type Redis } from 'ioredis';
import { writeSession } from './app-session';
import { expect, test as plain } from './fixtures';
import { uniqueId } from './unique';

const test = plain.extend<{ app: Redis }>({
  app: async ({ state }, use) => {
    const app = new Cluster(state.clusterNodes.map((node) => `redis://${node}`));
    // It has the methods of a single server's client, except those that need one server.
    await use(app as unknown as Redis);
    app.disconnect();
  },
});

test('support revokes a session whose keys are on several nodes', async ({ signInAs, app }) => {
  const user = { id: uniqueId(), name: 'e2e-on-a-cluster' };
  const phone = await writeSession(app, user, { device: 'Phone in a taxi' });
  const kept = await writeSession(app, user, { device: 'Desk at home' });
  const page = await signInAs('support');
  await page.goto(`/cluster/sessions?user=${user.id}`);
  await page
    .getByRole('row', { name: /Phone in a taxi/ })
    .getByRole('checkbox')
    .click();
  await page.getByRole('button', { name: 'Revoke 1 session', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: `Revoke 1 session of ${user.name}` });
  await expect(drawer).toContainText('Not in one step');
  await drawer.getByLabel('Reason').fill('e2e: a lost phone');
  await drawer.getByRole('button', { name: 'Revoke 1 session' }).click();
  await expect(page.getByText(`1 session revoked; ${user.name} has 1 left`)).toBeVisible();
  expect(await app.exists(`session:${user.id}:${phone}`)).toBe(0);
  expect(await app.smembers(`user_sessions:${user.id}`)).toEqual([kept]);
});
