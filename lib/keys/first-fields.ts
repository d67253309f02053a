import 'server-only';
import type { Key } from '@/lib/redis/commands';
import { type ElementContext, type RawElement, readFields, scanElements } from './raw-elements';

/** Hashes up to this size are read in the order of their fields. */
const MAX_ORDERED_FIELDS = 1000;

/**
 * The first fields of a hash, each with its value: by name in a hash of up to 1000, else as a scan finds them. `total` is
 * how many it has. Throws the server's WRONGTYPE.
 */
export const firstFields = async (
  ctx: ElementContext,
  key: Key,
  max: number,
): Promise<{ fields: RawElement[]; total: number }> => {
  const total = await ctx.reader.read(['HLEN', key]);
  const ordered = total <= MAX_ORDERED_FIELDS ? await readFields(ctx, key, 0, max) : null;
  if (ordered) return { fields: ordered, total };
  const found: RawElement[] = [];
  let cursor = '0';
  do {
    const page = await scanElements(ctx, key, 'HSCAN', cursor, max);
    found.push(...page.elements);
    cursor = page.cursor;
  } while (cursor !== '0' && found.length < max);
  found.sort(([a], [b]) => Buffer.compare(a!.bytes, b!.bytes));
  return { fields: found.slice(0, max), total };
};
