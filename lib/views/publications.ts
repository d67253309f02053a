import 'server-only';
import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { sumOf, type Whole } from '@/lib/values/whole';

/** Views of one publication; null where there is no counter, or it is not in the import. */
export interface Publication {
  counted: Whole | null;
  imported: Whole | null;
  slug: string | null;
}

export const viewsOf = ({ counted, imported }: Publication): Whole => sumOf(counted ?? 0, imported ?? 0);

/** Rounded beyond 2^53: which publications are dropped is an estimate anyway. */
const roughViewsOf = (publication: Publication): number => Number(viewsOf(publication));

/** About 40 MB with slugs. Beyond it the half with fewer views is dropped, and the order may miss a publication. */
export const MAX_PUBLICATIONS = 200_000;
/** Dropped before the event loop may do other work. */
const SLICE = 20_000;

/** The publications of a pass by name (`nameOf`), in bounded memory, and the totals of all of them. */
export class Publications {
  readonly byName = new Map<string, Publication>();
  counted: Whole = 0;
  imported: Whole = 0;
  /** Counters and imported publications together, once each as long as `isComplete`. */
  seen = 0;
  isComplete = true;

  constructor(private readonly most = MAX_PUBLICATIONS) {}

  private of(name: string): Publication {
    const known = this.byName.get(name);
    if (known) return known;
    const added: Publication = { counted: null, imported: null, slug: null };
    this.byName.set(name, added);
    this.seen += 1;
    return added;
  }

  addCounter(name: string, views: Whole): void {
    this.of(name).counted = views;
    this.counted = sumOf(this.counted, views);
  }

  addImported(name: string, views: Whole): void {
    this.of(name).imported = views;
    this.imported = sumOf(this.imported, views);
  }

  /** Keeps memory bounded. Called after each chunk of a scan. */
  async limit(): Promise<void> {
    if (this.byName.size <= this.most) return;
    this.isComplete = false;
    const sorted = Float64Array.from(this.byName.values(), roughViewsOf).sort();
    const middle = sorted[sorted.length >> 1]!;
    await this.drop((publication) => roughViewsOf(publication) < middle);
    await this.drop((publication) => roughViewsOf(publication) === middle);
  }

  /** Until half of the limit is left. */
  private async drop(isDropped: (publication: Publication) => boolean): Promise<void> {
    let examined = 0;
    for (const [name, publication] of this.byName) {
      if (this.byName.size <= this.most / 2) return;
      examined += 1;
      if (examined % SLICE === 0) await yieldToLoop();
      if (isDropped(publication)) this.byName.delete(name);
    }
  }
}
