import type { Page } from '@playwright/test';
import { expectLoaded } from './addresses';
import { expect, test } from './fixtures';

/** Pages with the name of the operation whose answer comes with each. */
const expectAnswers = async (page: Page, names: string[]): Promise<void> => {
  for (const name of names) {
    const asked: string[] = [];
    const onRequest = (request: { url: () => string }) => asked.push(new URL(request.url()).pathname);
    page.on('request', onRequest);
    await page.goto(`/demo/${name}`);
    await expectLoaded(page);
    // The shell of the page has asked for its own figures, so the page's components are there too.
    await expect.poll(() => asked).toContain('/api/v1/connections/demo/overview');
    page.off('request', onRequest);
    expect(asked, name).not.toContain(`/api/v1/connections/demo/${name}`);
  }
};

test('pages come with their first answers, and ask only for what changes later', async ({ signInAs }) => {
  const names = ['sessions', 'flags', 'env', 'families', 'keys', 'locks', 'catalog'];
  await expectAnswers(await signInAs('admin'), names);
});
