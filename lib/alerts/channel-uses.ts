import 'server-only';
import { processWide } from '@/lib/process-wide';
import type { Store } from '@/lib/redis/store';

/** Names of what sends through a channel, other than alert rules. A channel that is used is not deleted. */
export type ChannelUses = (store: Store, connection: string, channel: string) => Promise<string[]>;

const registered = processWide('channel-uses', () => new Set<ChannelUses>());

export const registerChannelUses = (uses: ChannelUses): void => void registered().add(uses);

export const usesOfChannel: ChannelUses = async (store, connection, channel) =>
  (await Promise.all([...registered()].map((uses) => uses(store, connection, channel)))).flat();
