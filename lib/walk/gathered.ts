import 'server-only';
import { ahead } from '@/lib/redis/ahead';
import type { ScanPlace } from '@/lib/redis/scan-nodes';
import { joinFacts, type ReadFacts } from './facts';

/** A caller who leaves, and the progress that is shown, wait for no longer. */
const MAX_WAIT_MS = 100;

type Call = ScanPlace & { value: () => ReadFacts };

export interface Gathered extends Pick<ScanPlace, 'cursor' | 'share' | 'isStill'> {
  facts: ReadFacts;
  calls: number;
}

/**
 * Several short calls of a walk as one, of at least `keys` keys: each part that a console processes costs it some 0.5 ms
 * and a round trip of its own, whatever it holds. With the place of the last call.
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
    // Here, while the server works on the next call.
    const facts = unpack();
    parts.push(facts);
    held += facts.keys.length;
    place = { cursor, share, isStill };
    if (held >= keys || performance.now() - began >= MAX_WAIT_MS) yield take();
  }
  if (parts.length > 0) yield take();
}
