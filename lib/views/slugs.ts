import 'server-only';
import { countDigits } from '@/lib/values/count-digits';
import { Finding } from './drift';
import { nameOf, shownBytes, shownName } from './names';
import { MAX_PUBLICATIONS, type Publications } from './publications';
import type { ViewDrift } from './schema';

/** What a pass has read of the slug map, which holds ids or views. Only all of it tells which. */
export class Slugs {
  count = 0;
  private ofKnown = 0;
  private readonly notNumbers = new Finding();
  private readonly withoutViews = new Finding();
  private readonly several = new Finding();
  private readonly counted = new Set<string>();
  /** The first slug of each id without views. */
  private readonly notViewed = new Map<string, string>();

  constructor(private readonly publications: Publications) {}

  add(slug: Buffer, value: Buffer): void {
    this.count += 1;
    const id = nameOf(value);
    const shown = shownBytes(slug);
    const known = this.publications.byName.get(id);
    if (known) this.ofKnown += 1;
    else this.withoutViews.add(() => `${shown}: ${shownName(id)}`);
    if (countDigits(value) === null) this.notNumbers.add(() => `${shown}: ${shownName(id)}`);
    const first = known ? known.slug : this.notViewed.get(id);
    if (first != null) this.addSeveral(id, first, shown);
    else if (known) known.slug = shown;
    else if (this.notViewed.size < MAX_PUBLICATIONS) this.notViewed.set(id, shown);
  }

  private addSeveral(id: string, first: string, second: string): void {
    if (this.counted.has(id)) return;
    this.counted.add(id);
    this.several.add(() => `${shownName(id)}: ${first}, ${second}`);
  }

  /** By most of the values. Where nothing has views yet, it is what the application documents: ids. */
  get hold(): 'ids' | 'views' | null {
    if (this.count === 0) return null;
    const { byName, seen } = this.publications;
    const keptShare = seen === 0 ? 0 : byName.size / seen;
    return this.ofKnown * 2 >= this.count * keptShare ? 'ids' : 'views';
  }

  /** Where it holds views, it does not tell which slug a publication has, and its numbers are no ids. */
  finish(): ViewDrift[] {
    if (this.hold === 'views') {
      for (const publication of this.publications.byName.values()) publication.slug = null;
      return this.notNumbers.row('notANumber', 'Of the slug map, which holds views.');
    }
    if (!this.publications.isComplete) return [];
    const withoutSlug = new Finding();
    for (const [name, { slug }] of this.publications.byName)
      if (slug === null) withoutSlug.add(() => shownName(name));
    return [
      ...this.withoutViews.row(
        'slugWithoutViews',
        'Their ids have no counter and are not in the latest import.',
      ),
      ...withoutSlug.row('viewsWithoutSlug'),
      ...this.several.row('severalSlugs'),
    ];
  }
}
