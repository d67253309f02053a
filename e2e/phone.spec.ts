import { randomBytes } from 'node:crypto';
import { expect, test } from './fixtures';
import { openOnPhone, tap } from './phone';
import { uniqueId } from './unique';

// Each story is one job of a role, done with a thumb: no table scrolls sideways, and each button is large enough.

test('support revokes a session', async ({ signInAs, appRedis }) => {
  const id = uniqueId();
  const key = `session:${id}:${randomBytes(24).toString('hex')}`;
  const now = String(Math.floor(Date.now() / 1000));
  const device = JSON.stringify({ device_name: 'Phone in a taxi', ip: '192.0.2.44' });
  await appRedis.hset(key, {
    user_id: id,
    username: 'e2e-thumb',
    created_at: now,
    last_activity: now,
    device_info: device,
  });
  await appRedis.expire(key, 86_400);
  await appRedis.sadd(`user_sessions:${id}`, key.split(':')[2]!);
  const page = await signInAs('support');
  await openOnPhone(page, '/demo/sessions');
  await page.getByRole('searchbox', { name: 'User id or name' }).fill(id);
  const card = page.getByRole('listitem').filter({ hasText: 'Phone in a taxi' });
  await tap(card.getByRole('button', { name: /^Details/ }));
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Revoke/ })
    .click();
  const drawer = page.getByRole('dialog', { name: /^Revoke 1 session/ });
  await drawer.getByLabel('Reason').fill('Ticket 4412: lost phone');
  await drawer.getByRole('button', { name: 'Revoke 1 session' }).click();
  await expect.poll(() => appRedis.exists(key)).toBe(0);
});
