import { test } from './fixtures';
import { expectNothingMoves, SIZES } from './layout-shift';

// The page with most that arrives late; all others are in layout-shift.long.spec.ts.
test('the overview does not move while it loads and updates', async ({ anotherAs }) => {
  const page = await anotherAs('admin');
  await expectNothingMoves(page.context(), ['/live/overview'], SIZES[0]!);
});
