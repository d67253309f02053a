import { expect, it } from 'vitest';
import { RETRY_AFTER_MS, refetchPagesEvery } from './refetch';

const query = (pages: readonly unknown[], status = 'success') => ({ state: { status, data: { pages } } });

it('reads pages less often the more there are, and soon after a failure', () => {
  const every = refetchPagesEvery(10_000);
  expect(every(query([1]))).toBe(10_000);
  expect(every(query([1, 2, 3]))).toBe(30_000);
  expect(every(query([1, 2, 3], 'error'))).toBe(RETRY_AFTER_MS);
});

it('reads pages more often while what they show is under way', () => {
  const every = refetchPagesEvery((pages) => (pages.includes('running') ? 1500 : 10_000));
  expect(every(query(['done']))).toBe(10_000);
  expect(every(query(['done', 'running']))).toBe(3000);
  expect(every({ state: { status: 'pending' } })).toBe(10_000);
});
