import 'server-only';

/** Elements remembered, in two halves: the older half is dropped when the newer one is full. */
const MAX_REMEMBERED = 100_000;

/**
 * Returns a predicate that is true for the first occurrence of an element. SCAN, SSCAN and HSCAN repeat elements when a
 * table is resized; repeats lie just behind their cursor, so remembering the latest elements is enough.
 */
export const distinct = (max = MAX_REMEMBERED): ((element: Buffer) => boolean) => {
  let newer = new Set<string>();
  let older = new Set<string>();
  return (element) => {
    const id = element.toString('latin1');
    if (newer.has(id) || older.has(id)) return false;
    newer.add(id);
    if (newer.size >= max / 2) [newer, older] = [new Set(), newer];
    return true;
  };
};
