import { expect, test } from './fixtures';
import { uniqueId } from './unique';

const idOf = (name: string): string => Buffer.from(name).toString('base64url');

test('at ten thousand messages a second the page shows the newest, and counts what it skips', async ({
  signInAs,
  appRedis,
}) => {
  const channel = `e2e:${uniqueId()}`;
  const page = await signInAs('product');
  await page.goto(`/demo/channels?watch=c.${idOf(channel)}`);
  await expect(page.getByText('No messages yet')).toBeVisible();
  const messages = 10_000;
  const pipeline = appRedis.pipeline();
  for (let i = 1; i <= messages; i++)
    pipeline.publish(channel, JSON.stringify({ type: 'load', action: 'updated', entity_id: i }));
  await pipeline.exec();
  const rows = page.getByRole('table', { name: 'Messages' }).locator('tbody [data-row]');
  await expect(rows.first()).toContainText(String(messages));
  const line = page.getByText(/shown .* skipped$/);
  await expect(line).not.toContainText('none skipped');
  const [, shown, skipped] = /([\d,]+) shown .* ([\d,]+) skipped/.exec((await line.textContent())!)!;
  const count = (text: string | undefined) => Number(text!.replaceAll(',', ''));
  expect(count(shown) + count(skipped)).toBe(messages);
});
