import { test } from './fixtures';
import { expectNothingMoves, SIZES } from './layout-shift';

/** The pages with most that arrives late; all others are in layout-shift.long.spec.ts. */
const ADDRESSES = ['/live/overview', '/live/guard', '/live/flags'];

test('no page moves while it loads and updates', async ({ anotherAs }) => {
  const page = await anotherAs('admin');
  await expectNothingMoves(page.context(), ADDRESSES, SIZES[0]!);
});
