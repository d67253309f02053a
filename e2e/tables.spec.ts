import { test } from './fixtures';
import { expectNothingMoves } from './layout-shift';
import { expectActionsInSight } from './tables';

/** The widest tables with buttons; all others are in tables.long.spec.ts. */
const ADDRESSES = ['/live/flags', '/live/sessions', '/live/guard'];

test('the buttons of every row are in sight', async ({ signInAs }) => {
  await expectActionsInSight(await signInAs('admin'), ADDRESSES);
});

test('no table moves when columns give way', { tag: '@long' }, async ({ anotherAs }) => {
  const page = await anotherAs('admin');
  await expectNothingMoves(page.context(), ['/live/flags', '/live/sessions'], { width: 1280, height: 900 });
});
