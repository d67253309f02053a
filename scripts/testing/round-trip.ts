import type { RoundTrip } from '@/lib/redis/round-trip';

/** A round trip measured while this process did nothing else. */
export const exactly = (ms: number): RoundTrip => ({ least: ms, most: ms });
