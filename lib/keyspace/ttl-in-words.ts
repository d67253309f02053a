import { DAY, HOUR, MINUTE, SECOND } from '@/lib/time';
import type { TtlPolicy } from './family';

const duration = (seconds: number): string => {
  const ms = seconds * SECOND;
  if (ms % DAY === 0) return `${ms / DAY} d`;
  if (ms % HOUR === 0) return `${ms / HOUR} h`;
  if (ms % MINUTE === 0) return `${ms / MINUTE} min`;
  return `${seconds} s`;
};

/** A TTL policy in a few words; "—" where the catalog expects nothing. */
export const ttlInWords = (ttl: TtlPolicy): string => {
  if (ttl === 'persistent') return 'never expires';
  if (ttl === 'none') return 'until invalidated';
  if (ttl === 'any') return '—';
  if ('seconds' in ttl) return duration(ttl.seconds);
  return `${duration(ttl.minSeconds)} – ${duration(ttl.maxSeconds)}`;
};
