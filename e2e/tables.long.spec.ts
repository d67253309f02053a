import { PAGE_ADDRESSES, TAB_ADDRESSES } from './addresses';
import { test } from './fixtures';
import { expectNothingMoves } from './layout-shift';
import { expectActionsInSight } from './tables';

test('the buttons of every row of every table are in sight', async ({ signInAs }) => {
  test.setTimeout(300_000);
  await expectActionsInSight(await signInAs('admin'), [...PAGE_ADDRESSES, ...TAB_ADDRESSES]);
});

test('no table moves when columns give way', async ({ anotherAs }) => {
  const page = await anotherAs('admin');
  await expectNothingMoves(page.context(), ['/live/flags', '/live/sessions'], { width: 1280, height: 900 });
});
