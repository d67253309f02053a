import 'server-only';

/** Elements remembered, in two halves: the older one is forgotten when the newer one is full. */
const MAX_REMEMBERED = 100_000;

/**
 * True for an element that has not come before. SCAN, SSCAN and HSCAN give an element twice when a table is resized
 * meanwhile; what they repeat lies just before their cursor, so that remembering the latest elements is enough.
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
