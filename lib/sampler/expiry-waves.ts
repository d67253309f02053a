import 'server-only';
import { type Wave, wavesIn } from '@/lib/history/due-together';
import { readAllFamilyTtls } from '@/lib/history/family-ttls';
import { writePlacedEvent } from '@/lib/history/placed-events';
import { serverHistory } from '@/lib/history/server-history';
import { RESOLUTIONS, readSpans } from '@/lib/history/spans';
import type { Registry } from '@/lib/keyspace/registry';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';

/** Redis expires keys a little late, and the history of that time is written one span later. */
const SETTLE_MS = 20 * SECOND;

/**
 * Records when many keys of a family expired together. A census shows which keys are due together, and the server's
 * count of expired keys shows whether they expired or were written again before.
 */
export class ExpiryWaves {
  private due: Wave[] = [];
  private checkedUntil = 0;

  constructor(
    private readonly store: Store,
    private readonly connection: string,
    private readonly catalog: Pick<Registry, 'get'>,
  ) {}

  /** Must be called before a census replaces the TTLs of the previous one. */
  async check(now: number): Promise<void> {
    for (const [family, ttls] of await readAllFamilyTtls(this.store, this.connection))
      this.due.push(...wavesIn(family, ttls, Math.max(this.checkedUntil, ttls.countedAt), now));
    this.checkedUntil = now;
    const isOver = ({ at, widthMs }: Wave): boolean => at + widthMs + SETTLE_MS <= now;
    const over = this.due.filter(isOver);
    this.due = this.due.filter((wave) => !isOver(wave));
    for (const wave of over) if (await this.hasExpired(wave)) await this.record(wave);
  }

  private async hasExpired({ at, widthMs, keys }: Wave): Promise<boolean> {
    const range = { from: at - RESOLUTIONS[0].stepMs, to: at + widthMs + RESOLUTIONS[0].stepMs };
    const spans = await readSpans(serverHistory, this.store, this.connection, {
      resolution: RESOLUTIONS[0],
      ...range,
    });
    return spans.reduce((sum, { expired }) => sum + expired, 0) >= keys / 2;
  }

  private record({ family, at, widthMs, keys }: Wave): Promise<void> {
    const title = this.catalog.get(family)?.title ?? family;
    return writePlacedEvent(this.store, this.connection, {
      at,
      kind: 'expiry',
      href: null,
      auditId: null,
      family,
      text: `${title}: ${keys} keys expired within ${widthMs / SECOND} s`,
    });
  }
}
