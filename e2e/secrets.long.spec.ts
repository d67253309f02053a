import { PAGE_ADDRESSES, TAB_ADDRESSES } from './addresses';
import { expect, test } from './fixtures';
import { expectNoLeakOn, leaksIn, readSecrets } from './secrets';

/** Beside every page and tab: keys of sessions, and keys named by user names and passwords. */
const MORE = [
  '/live/keys?family=discours.session',
  '/social/entities?kind=minidouyin.user',
  '/social/entities?kind=minidouyin.user&id=41',
  '/social/keys?family=minidouyin.follows-token',
  '/social/keys?family=minidouyin.user-token',
  '/social/catalog',
];

test('no token or secret of the demo is in any page, response or URL', async ({ signInAs, state }) => {
  test.setTimeout(300_000);
  const page = await signInAs('admin');
  await expectNoLeakOn(page, readSecrets(state.tokensFile), [...PAGE_ADDRESSES, ...TAB_ADDRESSES, ...MORE]);
});

test('a secret variable is in the response that reveals it, and nowhere else', async ({
  signInAs,
  request,
  state,
}) => {
  test.setTimeout(120_000);
  const secrets = readSecrets(state.tokensFile);
  const page = await signInAs('admin');
  const answers: { url: string; text: Promise<string> }[] = [];
  page.on('response', (answer) => {
    if (/json|html|x-component/.test(answer.headers()['content-type'] ?? ''))
      answers.push({ url: answer.url(), text: answer.text().catch(() => '') });
  });
  const row = page.getByRole('listitem').filter({ hasText: 'EDITOR_SESSION' });
  await page.goto('/demo/env');
  await expect(row).toBeVisible({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Reveal EDITOR_SESSION' }).click();
  await expect(page.getByTestId('revealed')).toBeVisible();
  expect(leaksIn(await page.content(), secrets)).not.toEqual([]);
  await page.getByRole('button', { name: 'Hide now' }).click();
  await expect(page.getByTestId('revealed')).toHaveCount(0);
  for (const path of ['env', 'env?history=EDITOR_SESSION', 'env?tab=backups', 'flags']) {
    await page.goto(`/demo/${path}`);
    await page.waitForLoadState('networkidle');
    expect(leaksIn(await page.content(), secrets), path).toEqual([]);
  }
  for (const { url, text } of answers) {
    expect(leaksIn(url, secrets), 'in an address').toEqual([]);
    if (!url.endsWith('/EDITOR_SESSION/reveal')) expect(leaksIn(await text, secrets), url).toEqual([]);
  }
  const headers = { authorization: `Bearer ${state.apiToken}` };
  const C = '/api/v1/connections/demo';
  const { groups } = await (await request.get(`${C}/env`, { headers })).json();
  const variables = (groups as { variables: { name: string; secret: boolean }[] }[]).flatMap(
    (group) => group.variables,
  );
  for (const { name } of variables.filter(({ secret }) => secret))
    await request.post(`${C}/env/${encodeURIComponent(name)}/reveal`, { headers, data: {} });
  const exported = await request.post(`${C}/env-file/export`, { headers, data: { secrets: true } });
  expect(leaksIn(await exported.text(), secrets).length).toBeGreaterThan(8);
  const backedUp = await request.post(`${C}/env-backups`, {
    headers,
    data: { passphrase: 'secrets of e2e' },
  });
  expect(leaksIn(await backedUp.text(), secrets)).toEqual([]);
  for (const path of ['/api/v1/audit?limit=500', `${C}/env`, `${C}/env-backups`, `${C}/env/DB_URL/history`])
    expect(leaksIn(await (await request.get(path, { headers })).text(), secrets), path).toEqual([]);
});
