import 'server-only';
import { catalogOf } from '@/lib/command/context';
import { readSetSizes } from '@/lib/guard/set-sizes';
import { recordSizes } from '@/lib/guard/traffic/history';
import { sharedPass, type TimedPass } from '@/lib/guard/traffic/shared-pass';
import { MAX_SAMPLED_FIELDS, readWatch, storeObserved } from '@/lib/guard/traffic/storage';
import { expectedReset, observe, type Sample, type Watch } from '@/lib/guard/traffic/watch';
import { LEVELS_EVERY_MS } from '@/lib/history/levels';
import { keyId } from '@/lib/keyspace/display';
import type { Registry } from '@/lib/keyspace/registry';
import { limitedProjects } from '@/lib/rate-limits/limited';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import { HOUR, SECOND } from '@/lib/time';

/** Minimal samples per period, at least one every ten seconds and at most one per second. */
const SAMPLES_PER_PERIOD = 5;
/** A walk through a large map may take this share of the time. */
const SHARE = 0.1;
/** A reading of a page this recent is used as a sample. */
const FRESH_MS = SECOND / 4;
/** An older count of limited projects is not recorded as a current figure. */
const MAX_LIMITED_AGE_MS = HOUR;

/** Without any of these roles there is nothing to sample. */
const MEASURED = ['block-list', 'ban-list', 'rate-limit', 'period-request-counts'] as const;

const toSample = ({ at, total, fields, top }: TimedPass): Sample => ({
  at,
  total: Number(total),
  fields,
  top: top.slice(0, MAX_SAMPLED_FIELDS).map(({ field, digits }) => [keyId(field), Number(digits)]),
});

/** Samples the traffic guard's sets on one connection: the period's heaviest callers, and the sizes of the sets. */
export class IpProbe {
  private watch: Watch | null = null;
  private isLoaded = false;
  private tookMs = 0;
  private sizesAt = 0;

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly store: Store,
  ) {}

  /** Takes the samples that are due. Throws when nothing was sampled, which is a gap. */
  async tick(clock: () => number = Date.now): Promise<void> {
    const catalog = catalogOf(this.handle);
    if (!MEASURED.some((role) => catalog.roles.has(role))) return;
    if (clock() - this.sizesAt >= LEVELS_EVERY_MS) await this.measureSizes(catalog, clock());
    const counts = catalog.role('period-request-counts');
    if (!counts) return;
    if (!this.isLoaded) this.watch = await readWatch(this.store, this.handle.config.id);
    this.isLoaded = true;
    if (this.isDue(clock())) await this.sample(counts.key(), clock);
  }

  /** Called when another process samples, or none does: its samples are read when this one resumes. */
  pause(): void {
    this.watch = null;
    this.isLoaded = false;
  }

  /** Every few seconds, and shortly before and after the expected end of a period, to see its final counts. */
  private isDue(now: number): boolean {
    const last = this.watch?.samples.at(-1);
    if (!this.watch || !last) return true;
    const { blacklistPeriodMs } = this.handle.config.hawk;
    const every = Math.min(Math.max(blacklistPeriodMs / SAMPLES_PER_PERIOD, SECOND), 10 * SECOND);
    if (now - last.at >= Math.max(every, this.tookMs / SHARE)) return true;
    const end = expectedReset(this.watch, blacklistPeriodMs, last.at);
    if (end === null || this.tookMs / SHARE > every) return false;
    return [end - SECOND, end].some((at) => last.at < at && now >= at);
  }

  private async sample(key: Key, clock: () => number): Promise<void> {
    const { config } = this.handle;
    const started = performance.now();
    const pass = await sharedPass(this.handle, key, MAX_SAMPLED_FIELDS, clock, FRESH_MS);
    this.tookMs = performance.now() - started;
    const newest = this.watch?.samples.at(-1);
    // Another reader's walk, which is already included.
    if (newest && pass.at <= newest.at) return;
    const observed = observe(this.watch, toSample(pass), config.hawk.blacklistPeriodMs);
    await storeObserved(this.store, config.id, observed);
    this.watch = observed.watch;
  }

  private async measureSizes(catalog: Registry, now: number): Promise<void> {
    const { background, config } = this.handle;
    const sizes = await readSetSizes(background, catalog, ['block-list', 'ban-list']);
    const limited = await limitedProjects(this.handle, catalog);
    const isFresh = limited.countedAt !== null && now - limited.countedAt < MAX_LIMITED_AGE_MS;
    await recordSizes(this.store, config.id, {
      at: now,
      blockedProjects: sizes[0] ?? null,
      blacklistedIps: sizes[1] ?? null,
      limitedProjects: isFresh ? limited.projects : null,
    });
    this.sizesAt = now;
  }
}
