import { test } from './fixtures';
import { expectNothingMoves, SIZES } from './layout-shift';

// The pages with most that arrives late; all others are in layout-shift.long.spec.ts.
const ADDRESSES = ['/live/overview', '/live/guard', '/live/flags'];

for (const size of SIZES)
  test(`no page moves while it loads and updates, ${size.width} px wide`, async ({ anotherAs }) => {
    const page = await anotherAs('admin');
    await expectNothingMoves(page.context(), ADDRESSES, size);
  });
