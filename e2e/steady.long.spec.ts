import { expectClicksToLand } from './aimed-clicks';
import { test } from './fixtures';

test('a hundred clicks at a live table land where they were aimed', async ({
  signInAs,
  appRedis,
  reserve,
}) => {
  test.setTimeout(300_000);
  await reserve('CurrentPeriodMap');
  await expectClicksToLand(await signInAs('admin'), appRedis, 100);
});
