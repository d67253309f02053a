import { expectLoaded, PAGE_ADDRESSES, TAB_ADDRESSES } from './addresses';
import { expectAccessible } from './axe';
import { expect, test } from './fixtures';
import { OPENINGS, open } from './openings';

// Every page, tab and drawer, by the role that sees all of it. Drawers in the light theme are in focus.long.spec.ts.
test.describe.configure({ mode: 'parallel', timeout: 400_000 });

const nameOf = (text: string): string => text.replaceAll(/\W+/g, '-');

test('every page in both themes, at 200 % and on a phone', async ({ signInAs }) => {
  const page = await signInAs('admin');
  for (const address of PAGE_ADDRESSES) {
    await page.goto(address);
    await expectLoaded(page);
    await expectAccessible(page, nameOf(address), ['light', 'zoom', 'dark', 'phone']);
  }
});

test('every tab in both themes and on a phone', async ({ signInAs }) => {
  const page = await signInAs('admin');
  for (const address of TAB_ADDRESSES) {
    await page.goto(address);
    await expectLoaded(page);
    await expectAccessible(page, nameOf(address), ['light', 'dark', 'phone']);
  }
});

/** The drawers of caches that an address opens; the others have a button. */
const DRAWERS = [
  'do=invalidate&by=entity&entity=shout&id=5',
  'do=invalidate&by=pattern&pattern=shouts:*',
  'do=ttl&family=discours.author-followers&jitter=0',
];

test('every way to invalidate, in both themes and on a phone', async ({ signInAs }) => {
  const page = await signInAs('product');
  for (const search of DRAWERS) {
    await page.goto(`/demo/families?${search}`);
    const verb = page.getByRole('dialog').getByRole('button', { name: /^(Invalidate |Count affected keys)/ });
    await expect(verb).toBeEnabled();
    await expectAccessible(page, nameOf(search), ['light', 'dark', 'phone']);
  }
});

test('every drawer in the dark theme and on a phone', async ({ signInAs }) => {
  const page = await signInAs('admin');
  for (const [what, opening] of Object.entries(OPENINGS)) {
    await page.goto(opening.page);
    await open(page, opening);
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectAccessible(page, nameOf(what), ['dark', 'phone']);
  }
});
