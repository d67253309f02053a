import type { APIRequestContext } from '@playwright/test';
import { expectStatus } from './expect-status';
import { expect, type State, test } from './fixtures';
import { etagOf } from './flag-list';
import { uniqueName } from './unique';

/** Turns a flag of the test's own on, by HTTP; returns the audit id of that change. */
const turnOn = async (request: APIRequestContext, state: State, name: string): Promise<string> => {
  const headers = { authorization: `Bearer ${state.apiToken}` };
  const etag = await etagOf(request, state, name);
  const answer = await request.put(`/api/v1/connections/demo/flags/${name}`, {
    headers,
    data: { enabled: true, etag, reason: `e2e: ${name}` },
  });
  await expectStatus(answer, 200);
  return ((await answer.json()) as { auditId: string }).auditId;
};

test('a flag change is found by filters, shown before and after, and undone', async ({
  signInAs,
  appRedis,
  request,
  state,
}) => {
  const name = uniqueName('FEATURE_E2E_AUDIT_UNDO_*');
  await appRedis.set(`env_vars:${name}`, 'false');
  const auditId = await turnOn(request, state, name);
  expect(await appRedis.get(`env_vars:${name}`)).toBe('true');

  const page = await signInAs('admin');
  await page.goto('/audit');
  await page.getByRole('searchbox', { name: 'Target' }).fill(name);
  await expect(page).toHaveURL(new RegExp(`target=${name}`));
  const row = page.getByRole('row', { name: /Change a feature flag/ }).filter({ hasText: `e2e: ${name}` });
  await row.getByRole('button').click();
  await expect(page).toHaveURL(new RegExp(`entry=${auditId}`));
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByRole('row', { name: /enabled/ })).toContainText('true');
  await drawer.getByRole('button', { name: 'Undo…' }).click();
  await drawer.getByLabel('Reason').fill('e2e: not meant');
  await drawer.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(drawer.getByRole('status')).toContainText('Change undone.');
  await expect(drawer.getByRole('button', { name: 'Undo…' })).toHaveCount(0);
  expect(await appRedis.get(`env_vars:${name}`)).toBe('false');
  await appRedis.unlink(`env_vars:${name}`);
});

test('the chain is verified, and the log exported', { tag: '@long' }, async ({ signInAs, context }) => {
  const page = await signInAs('admin');
  await page.goto('/audit?action=session.signIn');
  await page.getByRole('button', { name: 'Verify chain' }).click();
  await expect(page.getByText(/^Chain verified: [\d,]+ records/)).toBeVisible();
  await expect(page.getByText(/^Tamper-evident log · Chain verified .* records?/)).toBeVisible();
  await page.getByRole('button', { name: 'Export', exact: true }).first().click();
  const href = await page.getByRole('menuitem', { name: 'JSON lines' }).getAttribute('href');
  const answer = await context.request.get(new URL(href!, page.url()).href);
  const lines = (await answer.text()).trim().split(/\r?\n/);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ action: 'session.signIn' });
});
