import 'server-only';
import { displayKey } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { distinct } from '@/lib/redis/distinct';
import { isWrongType } from '@/lib/redis/failure';
import { pacedOn } from '@/lib/redis/paced-reads';
import { scanPatterns } from '@/lib/redis/scan';
import { partIn } from '@/lib/role-keys/part-in-key';
import { countDigits } from '@/lib/values/count-digits';
import { wholeOf } from '@/lib/values/whole';
import { Finding } from './drift';
import { type Import, ImportKeys, isPublication, readImports } from './imports';
import { nameOf, nameOfText, shownBytes } from './names';
import { Publications } from './publications';
import type { ViewDrift } from './schema';
import { Slugs } from './slugs';

/** Where views are stored; at least one of them. */
export interface ViewFamilies {
  counts: Family | undefined;
  imports: Family | undefined;
  slugs: Family | undefined;
}

/** What one pass over the counters, the imports and the slug map has found so far. */
export interface ViewsPass {
  publications: Publications;
  /** Newest first. */
  imports: Import[];
  slugs: number;
  slugsHold: 'ids' | 'views' | null;
  drift: ViewDrift[];
}

export const emptyPass = (): ViewsPass => ({
  publications: new Publications(),
  imports: [],
  slugs: 0,
  slugsHold: null,
  drift: [],
});

/** SCAN with a pattern, and a field of a hash, cost the server less than reading a key. */
const TIMES = 4;
/** A longer value is no count. */
const MAX_COUNT_BYTES = 32;
const MAX_FIELDS = 1000;
const FIELDS_PER_KEY = 10;

interface Findings {
  wrongTypes: Finding;
  /** For counters, and for the latest import. */
  notNumbers: Finding;
}

class Walk {
  private readonly found: Findings = { wrongTypes: new Finding(), notNumbers: new Finding() };

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly catalog: Registry,
    private readonly families: ViewFamilies,
    private readonly pass: ViewsPass,
  ) {}

  private shown(key: Key): string {
    return displayKey(key, this.catalog);
  }

  async run(): Promise<void> {
    const imports = await this.readKeys();
    const named = imports?.newest() ?? [];
    this.pass.imports = await readImports(this.handle.background, named, {
      ...this.found,
      catalog: this.catalog,
    });
    const [latest] = this.pass.imports;
    if (latest) await this.readLatest(latest);
    const ofSlugs = await this.readSlugs();
    this.pass.drift = [
      ...this.found.notNumbers.row('notANumber', 'Of counters and the latest import.'),
      ...this.found.wrongTypes.row('wrongType'),
      ...this.differingTotals(),
      ...ofSlugs,
    ];
  }

  /** Reads the counters, and finds the imports. */
  private async readKeys(): Promise<ImportKeys | null> {
    const { counts, imports } = this.families;
    const found = imports ? new ImportKeys(imports) : null;
    const patterns = [counts, imports].flatMap((family) => (family ? [family.match()] : []));
    if (patterns.length === 0) return null;
    const isNew = distinct();
    for await (const { keys } of scanPatterns(this.handle, patterns, { times: TIMES })) {
      const counters: Key[] = [];
      for (const key of keys) {
        const { family } = this.catalog.locate(key);
        if (family === null || !isNew(key)) continue;
        if (family === imports) found!.add(key);
        else if (family === counts) counters.push(key);
      }
      if (counts) await this.readCounters(counts, counters);
      await this.pass.publications.limit();
    }
    return found;
  }

  private async readCounters(family: Family, keys: readonly Key[]): Promise<void> {
    const values = await this.handle.background.getStrings(keys, MAX_COUNT_BYTES);
    for (const [i, key] of keys.entries()) {
      const value = values[i];
      if (value instanceof Error) {
        if (!isWrongType(value)) throw value;
        this.found.wrongTypes.add(() => this.shown(key));
        continue;
      }
      // Expired or deleted since the scan.
      if (!value) continue;
      const digits = value.length > value.bytes.length ? null : countDigits(value.bytes);
      if (digits === null) this.found.notNumbers.add(() => this.shown(key));
      else
        this.pass.publications.addCounter(
          nameOfText(partIn(family, family.parse(key), 'id')!),
          wholeOf(digits),
        );
    }
  }

  /** Fields and values of a hash, each once. Yields nothing for another type. */
  private async *fields(key: Key): AsyncGenerator<readonly [field: Buffer, value: Buffer]> {
    const { background, budget, topology } = this.handle;
    const count = Math.min(MAX_FIELDS, budget.limits.chunk * FIELDS_PER_KEY);
    const paced = pacedOn(topology, key);
    const isNew = distinct();
    let cursor = '0';
    do {
      const from = cursor;
      const page = await paced(() => background.scanCollection('HSCAN', key, from, { count }));
      for (let i = 0; i + 1 < page.elements.length; i += 2)
        if (isNew(page.elements[i]!)) yield [page.elements[i]!, page.elements[i + 1]!];
      await this.pass.publications.limit();
      cursor = page.cursor;
    } while (cursor !== '0');
  }

  private async readLatest(latest: Import): Promise<void> {
    let publications = 0;
    for await (const [field, value] of this.fields(latest.key)) {
      if (!isPublication(field)) continue;
      publications += 1;
      const digits = countDigits(value);
      if (digits === null) this.found.notNumbers.add(() => `${this.shown(latest.key)}: ${shownBytes(field)}`);
      else this.pass.publications.addImported(nameOf(field), wholeOf(digits));
    }
    latest.publications = publications;
  }

  private differingTotals(): ViewDrift[] {
    const differing = new Finding();
    for (const { key, total, publications } of this.pass.imports)
      if (total !== null && total !== publications)
        differing.add(() => `${this.shown(key)}: ${total}, ${publications}`);
    return differing.row(
      'totalDiffers',
      '`_total`, and the number of publications in the import: fields whose name does not begin with `_`.',
    );
  }

  private async readSlugs(): Promise<ViewDrift[]> {
    const { slugs: family } = this.families;
    if (!family) return [];
    const slugs = new Slugs(this.pass.publications);
    try {
      for await (const [slug, value] of this.fields(family.key())) slugs.add(slug, value);
    } catch (error) {
      if (!isWrongType(error)) throw error;
      this.found.wrongTypes.add(() => this.shown(family.key()));
      return [];
    }
    const drift = slugs.finish();
    this.pass.slugs = slugs.count;
    this.pass.slugsHold = slugs.hold;
    return drift;
  }
}

/** Reads everything once, under the scan budget. `pass` has what was found meanwhile. */
export const readViews = (
  handle: ConnectionHandle,
  catalog: Registry,
  families: ViewFamilies,
  pass: ViewsPass,
): Promise<void> => new Walk(handle, catalog, families, pass).run();
