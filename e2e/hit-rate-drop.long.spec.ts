import type { Page } from '@playwright/test';
import { expectAccessible } from './axe';
import { expect, type RoleName, test } from './fixtures';
import { causeDrop, SAMPLED } from './live-sample';

/** Left and right of the time axis, in pixels: as the chart draws it. */
const AXIS = { left: 66, right: 8 };

/** Drags over the chart of the whole server, from a time (epoch ms) to its end. */
const dragFrom = async (page: Page, since: number): Promise<void> => {
  const chart = page.getByRole('img', { name: /^Cache hit rate of/ });
  await chart.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await chart.boundingBox())!;
  const [from, to] = await chart.evaluate(({ dataset }) => [Number(dataset.from), Number(dataset.to)]);
  const share = (since - from!) / (to! - from!);
  const start = x + AXIS.left + share * (width - AXIS.left - AXIS.right);
  await page.mouse.move(start, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width - 2, y + height / 2, { steps: 5 });
  await page.mouse.up();
};

test('which family dropped, why and since when: one drag answers, its keys are one click away', async ({
  signInAs,
  appRedis,
  state,
  request,
  reserve,
}) => {
  test.setTimeout(120_000);
  await reserve(SAMPLED);
  const { since } = await causeDrop(request, state, appRedis);
  const story = async (role: RoleName): Promise<Page> => {
    const page = await signInAs(role);
    await page.goto('/demo/hit-rates');
    await dragFrom(page, since);
    const answer = page.getByTestId('drop-answer');
    await expect(answer).toHaveText(
      /^Topic's followers accounts for \d.*% of the additional misses since \d\d:\d\d/,
    );
    await expect(answer).toContainText('An invalidation happened just before, at');
    const drop = page.getByTestId('drop');
    await expect(drop.getByRole('row', { name: /^Topic's followers/ })).toContainText('Certain');
    await expect(drop.getByRole('region', { name: 'What happened' })).toContainText('Invalidation');
    return page;
  };
  const openFamily = async (page: Page) => {
    await page
      .getByTestId('drop')
      .getByRole('row', { name: /^Topic's followers/ })
      .getByRole('button')
      .first()
      .click();
    const drawer = page.getByRole('dialog', { name: "Topic's followers" });
    await expect(drawer).toContainText('topic:followers:');
    return drawer;
  };

  const viewer = await story('viewer');
  const shared = viewer.url();
  await expectAccessible(viewer, 'hit-rate-drop');
  const seen = await openFamily(viewer);
  await expect(seen.getByRole('link', { name: 'Invalidate…' })).toHaveCount(0);

  // A link shows the same; from the family its invalidation, with a preview, is one more click.
  const product = await signInAs('product');
  await product.goto(shared);
  await expect(product.getByTestId('drop-answer')).toContainText("Topic's followers");
  const offered = await openFamily(product);
  await offered.getByRole('link', { name: 'Invalidate…' }).click();
  await expect(product).toHaveURL(/\/demo\/families\?.*do=invalidate/);

  const admin = await signInAs('admin');
  await admin.goto(shared);
  await admin.getByTestId('drop').getByRole('link', { name: 'Audit entry' }).first().click();
  await expect(admin).toHaveURL(/\/audit\?entry=/);
});
