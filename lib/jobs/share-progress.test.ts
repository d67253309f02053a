import { afterEach, expect, it, vi } from 'vitest';
import { shareProgress } from './share-progress';

afterEach(() => {
  vi.useRealTimers();
});

it('is saved five times a second at most, at the end, and from the beginning where the walk begins again', async () => {
  vi.useFakeTimers();
  const saved: number[] = [];
  const onShare = shareProgress({
    progress: async (done) => {
      saved.push(done);
    },
  });
  await onShare(0);
  for (let i = 0; i < 1000; i++) {
    await onShare(i / 1000);
    vi.advanceTimersByTime(1);
  }
  expect(saved).toEqual([0, 200, 400, 600, 800]);
  await onShare(0.01);
  await onShare(0.02);
  await onShare(1);
  expect(saved.slice(5)).toEqual([0, 1000]);
});
