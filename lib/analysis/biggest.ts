import 'server-only';
import { z } from 'zod';
import type { Key } from '@/lib/redis/commands';

/** A key among the biggest, with its facts. */
export const storedBigKey = z.object({
  /** A copy, because the key's chunk is released. */
  key: z.string().transform((text): Key => Buffer.from(text, 'base64')),
  family: z.string().nullable(),
  /** From `identifyKeys`: determines how its name is displayed. */
  isSettled: z.boolean(),
  type: z.string(),
  memoryBytes: z.number(),
  length: z.number().nullable(),
  /** Remaining ms; -1 without a TTL, NaN where it could not be read. JSON has no NaN. */
  ttl: z
    .number()
    .nullable()
    .transform((ttl) => ttl ?? Number.NaN),
});
export type BigKey = z.output<typeof storedBigKey>;

/** The keys with the most memory, at most `max`; among equals the first. */
export class Biggest {
  readonly keys: BigKey[];
  private readonly max: number;

  constructor(max: number, keys: readonly BigKey[] = []) {
    this.max = max;
    this.keys = keys.slice(0, max);
  }

  add({ key, family, isSettled, type, length, ttl }: Omit<BigKey, 'memoryBytes'>, memoryBytes: number): void {
    const { keys, max } = this;
    if (keys.length === max && keys[max - 1]!.memoryBytes >= memoryBytes) return;
    const at = keys.findIndex((other) => other.memoryBytes < memoryBytes);
    const copy = { key: Buffer.from(key), family, isSettled, type, memoryBytes, length, ttl };
    keys.splice(at < 0 ? keys.length : at, 0, copy);
    if (keys.length > max) keys.pop();
  }

  stored() {
    return this.keys.map(({ key, ...rest }) => ({ ...rest, key: key.toString('base64') }));
  }
}
