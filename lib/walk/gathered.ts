import 'server-only';
import { ahead } from '@/lib/redis/ahead';
import type { ScanPlace } from '@/lib/redis/scan-nodes';
import { joinFacts, type ReadFacts } from './facts';

/** The longest delay of progress, and of a caller who leaves, ms. */
const MAX_WAIT_MS = 100;

type Call = ScanPlace & { value: () => ReadFacts };

export interface Gathered extends Pick<ScanPlace, 'cursor' | 'share' | 'isStill'> {
  facts: ReadFacts;
  calls: number;
}

/**
 * Joins short calls of a walk until they have at least `keys` keys: each part costs the console about 0.5 ms and a
 * round trip, whatever it contains. Returns them with the place of the last call.
 */
export async function* gathered(source: AsyncGenerator<Call>, keys: number): AsyncGenerator<Gathered> {
  let parts: ReadFacts[] = [];
  let [began, held] = [0, 0];
  let place: Pick<ScanPlace, 'cursor' | 'share' | 'isStill'> | null = null;
  const take = (): Gathered => {
    const group = { ...place!, facts: joinFacts(parts), calls: parts.length };
    [parts, held] = [[], 0];
    return group;
  };
  for await (const { value: unpack, cursor, share, isStill } of ahead(source)) {
    if (parts.length === 0) began = performance.now();
    // Unpacked here, while the server works on the next call.
    const facts = unpack();
    parts.push(facts);
    held += facts.keys.length;
    place = { cursor, share, isStill };
    if (held >= keys || performance.now() - began >= MAX_WAIT_MS) yield take();
  }
  if (parts.length > 0) yield take();
}
