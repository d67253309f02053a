import 'server-only';
import { catalogOf } from '@/lib/command/context';
import { recordOnline } from '@/lib/presence/history';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import { countOnline } from '@/lib/role-keys/count-online';
import { MINUTE } from '@/lib/time';

/** Records once a minute how many users of one connection are online. */
export class PresenceProbe {
  private recordedAt = 0;

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly store: Store,
  ) {}

  /** Takes the samples that are due. No point is written where users cannot be counted. */
  async tick(now = Date.now()): Promise<void> {
    const catalog = catalogOf(this.handle);
    if (!catalog.role('presence') || now - this.recordedAt < MINUTE) return;
    const online = await countOnline(this.handle.background, catalog);
    if (online !== null) await recordOnline(this.store, this.handle.config.id, { at: now, online });
    this.recordedAt = now;
  }
}
