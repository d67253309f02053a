import type { TrafficIp } from '@/lib/guard/traffic/schema';

export const IP_ORDERS = ['requests', 'new'] as const;
export type IpOrder = (typeof IP_ORDERS)[number];

const seenAt = ({ firstSeenAt }: TrafficIp): number => (firstSeenAt === null ? 0 : Date.parse(firstSeenAt));

/** The heaviest first, as they came, or the latest to become heavy first; those seen from the beginning come last. */
export const inOrder = (items: readonly TrafficIp[], order: IpOrder): TrafficIp[] =>
  order === 'requests' ? [...items] : [...items].sort((a, b) => seenAt(b) - seenAt(a));
