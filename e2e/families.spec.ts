import { expect, test } from './fixtures';
import { makeKeys } from './make-keys';
import { uniqueId } from './unique';

const AUTHORS_OF_TOPIC = '/demo/families?do=invalidate&family=discours.topic-authors';

test('product previews and invalidates a part of a family, and the rest stays', async ({
  signInAs,
  appRedis,
  state,
  context,
  reserve,
}) => {
  await reserve('discours.topic-authors');
  const id = uniqueId();
  const meant = await makeKeys(appRedis, `topic:authors:${id}`, 40);
  const others = [
    ...(await makeKeys(appRedis, `topic:authors:${uniqueId()}`, 3)),
    ...(await makeKeys(appRedis, `topic:followers:${id}`, 3)),
  ];
  const page = await signInAs('product');
  await page.goto(AUTHORS_OF_TOPIC);
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByTestId('preview')).toContainText('keys', { timeout: 20_000 });
  await drawer.getByRole('textbox', { name: 'id', exact: true }).fill(`${id}*`);
  await expect(drawer.getByTestId('preview')).toHaveText(/^(about )?\d+ keys/);
  await expect(drawer).toContainText(`topic:authors:${id}`);
  await expect(drawer).toContainText('Undo available for 24 h');
  await drawer.getByLabel('Reason').fill('e2e: a part of a family');
  await drawer.getByRole('button', { name: /^Invalidate (about )?\d+ keys$/ }).click();

  // The same drawer shows the work; its address survives a reload.
  await expect(page).toHaveURL(/[?&]job=/);
  await expect(drawer.getByTestId('job-figures')).toHaveText(/^40 (of 40 )?keys$/);
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible();
  await page.reload();
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible();
  expect(await appRedis.exists(...meant)).toBe(0);
  expect(await appRedis.exists(...others)).toBe(others.length);

  // Whoever may invalidate sees it on the jobs page, from another page too.
  const elsewhere = await context.newPage();
  await elsewhere.goto('/jobs?connection=demo');
  await expect(elsewhere.getByText(`discours.topic-authors (id=${id}*)`).first()).toBeVisible();

  const answer = await context.request.get(
    `${state.baseUrl}/api/v1/audit?action=families.invalidate&target=${id}*`,
    {
      headers: { authorization: `Bearer ${state.apiToken}` },
    },
  );
  const { items } = (await answer.json()) as { items: Record<string, unknown>[] };
  expect(items[0]).toMatchObject({
    actor: 'product@keyward.example',
    outcome: 'succeeded',
    reason: 'e2e: a part of a family',
    after: { matched: 40, deleted: 40, vanished: 0 },
  });
  await appRedis.unlink(...others);
});
