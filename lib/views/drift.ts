import 'server-only';
import type { ViewDrift } from './schema';

const MAX_SAMPLES = 10;

/** How often something was found, with its first samples. */
export class Finding {
  count = 0;
  private readonly sample: string[] = [];

  /** `sample` is called for the first ones only. */
  add(sample: () => string): void {
    this.count += 1;
    if (this.sample.length < MAX_SAMPLES) this.sample.push(sample());
  }

  /** No row where nothing was found. */
  row(what: ViewDrift['what'], detail: string | null = null): ViewDrift[] {
    return this.count === 0 ? [] : [{ what, count: this.count, sample: this.sample, detail }];
  }
}
