import { PAGE_ADDRESSES, TAB_ADDRESSES } from './addresses';
import { test } from './fixtures';
import { expectNothingMoves, SIZES } from './layout-shift';

test.describe.configure({ mode: 'parallel', timeout: 300_000 });

for (const size of SIZES)
  test(`no page moves while it loads and updates, ${size.width} px wide`, async ({ anotherAs }) => {
    const page = await anotherAs('admin');
    await expectNothingMoves(page.context(), [...PAGE_ADDRESSES, ...TAB_ADDRESSES], size);
  });
