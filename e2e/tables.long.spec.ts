import { PAGE_ADDRESSES, TAB_ADDRESSES } from './addresses';
import { test } from './fixtures';
import { expectActionsInSight } from './tables';

test('the buttons of every row of every table are in sight', async ({ signInAs }) => {
  test.setTimeout(300_000);
  await expectActionsInSight(await signInAs('admin'), [...PAGE_ADDRESSES, ...TAB_ADDRESSES]);
});
