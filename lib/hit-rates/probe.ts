import 'server-only';
import { catalogOf } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { restoreLeftFlags } from './flags';
import { type ObserveOptions, observe } from './observe';
import { needsNoConsent } from './sampling';
import { isUndecided, readSampling, saveStopReason, settingsInForce } from './state';
import { OPEN_ALREADY } from './take';

/** When another connection to the server has a window open, the next attempt follows after this time. */
const RETRY_MS = 3 * SECOND;
/** How often the server is checked again while windows wait for consent. */
const CHECK_MS = 10 * SECOND;

/** Opens windows on one connection at the configured duty cycle. Runs only in the sampler's leader. */
export class HitRateProbe {
  private startedAt = Number.NEGATIVE_INFINITY;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private readonly handle: ConnectionHandle;
  private readonly store: Store;
  private readonly options: Pick<ObserveOptions, 'measure' | 'retryMs'>;

  constructor(handle: ConnectionHandle, store: Store, options: HitRateProbe['options'] = {}) {
    this.handle = handle;
    this.store = store;
    this.options = options;
  }

  /**
   * Restores flags that a crash left changed, and opens a window when one is due. If that fails, stores the reason and
   * tries again one period later. Returns whether it made an attempt.
   */
  async tick(signal: AbortSignal, clock: () => number = Date.now): Promise<boolean> {
    const { handle, store } = this;
    const { id, hitRates } = handle.config;
    const record = await readSampling(store, id);
    if (record.toRestore.length > 0) await restoreLeftFlags(handle, store);
    const { on, everySeconds, forSeconds } = settingsInForce(hitRates, record, true);
    const now = clock();
    // A change of leader, or a restart, must not open two windows in one period.
    const last = Math.max(this.startedAt, record.last?.at ?? Number.NEGATIVE_INFINITY);
    if (!on || now - last < everySeconds * SECOND) return false;
    if (isUndecided(hitRates, record) && !(await this.mayStart(now))) return false;
    this.startedAt = now;
    try {
      const taker = { handle, store, catalog: catalogOf(handle), consent: record.consent };
      await observe(taker, { ...this.options, ms: forSeconds * SECOND, signal }, clock);
      if (record.stoppedBecause !== null) await saveStopReason(store, id, null);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.message === OPEN_ALREADY) {
        this.startedAt = now - everySeconds * SECOND + RETRY_MS;
        return false;
      }
      if (error.message !== record.stoppedBecause) await saveStopReason(store, id, error.message);
    }
    return true;
  }

  /** Whether windows need no consent on this server. Checked at most every `CHECK_MS`. */
  private async mayStart(now: number): Promise<boolean> {
    if (now - this.checkedAt < CHECK_MS) return false;
    this.checkedAt = now;
    return needsNoConsent(this.handle, this.store);
  }
}
