import { expectLoaded } from './addresses';
import { expect, test } from './fixtures';

/** Pages, and the operation whose answer comes with each. */
const PAGES = {
  sessions: 'sessions',
  flags: 'flags',
  env: 'env',
  families: 'families',
  keys: 'keys',
  locks: 'locks',
  catalog: 'catalog',
};

test('pages come with their first answers, and ask only for what changes later', async ({ signInAs }) => {
  const page = await signInAs('admin');
  for (const [name, operation] of Object.entries(PAGES)) {
    const asked: string[] = [];
    const onRequest = (request: { url: () => string }) => asked.push(new URL(request.url()).pathname);
    page.on('request', onRequest);
    await page.goto(`/demo/${name}`);
    await expectLoaded(page);
    // The shell of the page has asked for its own figures, so the page's components are there too.
    await expect.poll(() => asked).toContain('/api/v1/connections/demo/overview');
    page.off('request', onRequest);
    expect(asked, name).not.toContain(`/api/v1/connections/demo/${operation}`);
  }
});
