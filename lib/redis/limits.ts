import 'server-only';
import { numberOf } from './info';

/** What endangers the data of a server, or its writes, when its memory is full. */
export const MEMORY_LIMIT_FAULTS = ['noLimit', 'refusesWrites', 'evictsLasting'] as const;
export type MemoryLimitFault = (typeof MEMORY_LIMIT_FAULTS)[number];

/** The only judgement of memory limit and eviction policy. `mustStay`: whether some keys may not be lost. */
export const judgeMemoryLimit = (
  info: ReadonlyMap<string, string>,
  mustStay: boolean,
): MemoryLimitFault[] => {
  const policy = info.get('maxmemory_policy') ?? '';
  if (numberOf(info, 'maxmemory') === 0) return ['noLimit'];
  if (policy === 'noeviction') return ['refusesWrites'];
  return policy.startsWith('allkeys') && mustStay ? ['evictsLasting'] : [];
};

/** Share of the client limit above which clients need attention. */
export const MAX_CLIENT_SHARE = 0.8;

export const isNearClientLimit = (connected: number, limit: number, maxShare = MAX_CLIENT_SHARE): boolean =>
  limit > 0 && connected > maxShare * limit;
