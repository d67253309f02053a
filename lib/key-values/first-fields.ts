import 'server-only';
import type { Key } from '@/lib/redis/commands';
import { runsReadScripts } from '@/lib/redis/read-script';
import { readyClient } from '@/lib/redis/topology';
import { type ElementContext, type RawElement, readFields, scanElements } from './raw-elements';

/** Hashes up to this size are read in the order of their fields. */
const MAX_ORDERED_FIELDS = 1000;

/** A call without scripts sends complete values: not of a hash that is larger, where its fields are few. */
const MAX_WHOLE_BYTES = 2 ** 20;
/** The same limit per field for a hash with many fields, whose size the server estimates from several. */
const MAX_WHOLE_FIELD_BYTES = 16 * 1024;

/** Whether its values are too large for a server that cannot cut them first. */
const isTooLarge = async (
  { connection, reader, purpose = 'read' }: ElementContext,
  key: Key,
  total: number,
): Promise<boolean> => {
  const { config, topology } = connection;
  if (await runsReadScripts(await readyClient(config.id, topology.nodeOf(key), purpose))) return false;
  if (total > MAX_ORDERED_FIELDS) {
    const bytes = await reader.read(['MEMORY USAGE', key]);
    return bytes !== null && bytes / total > MAX_WHOLE_FIELD_BYTES;
  }
  const bytes = await reader.read(['MEMORY USAGE', key, 'SAMPLES', 0]);
  return bytes !== null && bytes > MAX_WHOLE_BYTES;
};

/**
 * The first fields of a hash, each with its value: by name in a hash of up to 1000, else as a scan finds them; none
 * where only complete values could be read, and they are large. `total` is how many it has. Throws the server's WRONGTYPE.
 */
export const firstFields = async (
  ctx: ElementContext,
  key: Key,
  max: number,
): Promise<{ fields: RawElement[]; total: number }> => {
  const total = await ctx.reader.read(['HLEN', key]);
  const ordered = total <= MAX_ORDERED_FIELDS ? await readFields(ctx, key, 0, max) : null;
  if (ordered) return { fields: ordered, total };
  if (await isTooLarge(ctx, key, total)) return { fields: [], total };
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
