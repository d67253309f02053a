import { describe, expect, it } from 'vitest';
import { exactly } from '@/scripts/testing/round-trip';
import { LatencyGuard } from './latency-guard';
import { type RoundTrip, timeRoundTrip } from './round-trip';

/** How many round trips a window lasts, and why it ends; null where it does not. */
const windowOf = async (before: number, during: (i: number) => RoundTrip, most = 1000) => {
  const guard = new LatencyGuard(1);
  await guard.calibrate(
    async () => exactly(before),
    async () => undefined,
  );
  for (let i = 0; i < most; i++) {
    const cut = guard.add(during(i));
    if (cut) return { after: i + 1, ...cut };
  }
  return null;
};

describe('the guard of a window', () => {
  it('ends it when answers come later for several medians in a row', async () => {
    const late = await windowOf(0.2, (i) => exactly(i < 100 ? 0.2 : 1.3));
    expect(late).toMatchObject({ why: 'late', text: 'latency rose by 1.1 ms' });
    expect(late!.after).toBe(100 + 8 + 4);
    expect(await windowOf(0.2, () => exactly(1.1))).toBeNull();
  });

  it('ends it at once where the server hardly answers', async () => {
    expect(await windowOf(0.2, () => exactly(300))).toMatchObject({ after: 2, why: 'late' });
  });

  it('ignores single late answers', async () => {
    expect(await windowOf(0.2, (i) => exactly(i % 5 < 2 ? 40 : 0.2))).toBeNull();
    expect(await windowOf(0.2, (i) => exactly(i % 50 === 0 ? 900 : 0.2))).toBeNull();
  });

  it('does not count time in which this process was busy, and ends when it cannot measure', async () => {
    const hidden = { least: 0.1, most: 30 };
    expect(await windowOf(0.2, (i) => (i % 100 < 60 ? hidden : exactly(0.2)))).toBeNull();
    expect(await windowOf(0.2, () => hidden)).toMatchObject({ why: 'busy' });
    // The server is late as well.
    expect(await windowOf(0.2, () => ({ least: 3, most: 30 }))).toMatchObject({ why: 'late' });
  });
});

it('excludes the time in which this process was busy from a round trip', async () => {
  const trip = await timeRoundTrip(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const until = performance.now() + 60;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return 'answer';
  });
  expect(trip.value).toBe('answer');
  expect(trip.most - trip.least).toBeGreaterThanOrEqual(60);
});
