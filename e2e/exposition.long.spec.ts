import { expectAccessible } from './axe';
import { expect, test } from './fixtures';

test('an admin finds the scrape configuration, the dashboard and the figures', async ({
  signInAs,
  state,
}) => {
  const page = await signInAs('admin');
  await page.goto('/users?tab=tokens');
  await page.getByRole('button', { name: 'Prometheus and Grafana' }).click();
  await expect(page.getByRole('region', { name: /^Add to prometheus.yml/ })).toContainText(
    new URL(state.baseUrl).host,
  );
  await page.getByRole('searchbox', { name: 'Name or meaning' }).fill('hit_ratio');
  await expect(page.getByRole('row', { name: /keyward_family_hit_ratio/ })).toBeVisible();
  await expectAccessible(page, 'prometheus');
  const link = page.getByRole('link', { name: 'Download keyward.json' });
  const dashboard = await page.request.get((await link.getAttribute('href'))!);
  expect(((await dashboard.json()) as { title: string }).title).toBe('Keyward');
});
