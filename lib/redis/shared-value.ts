import 'server-only';

/** Servers count an object that all small integers (0 to 9999) share as so many references or more. */
const SHARED_FROM = 2 ** 28;

/**
 * Whether a string is kept as one of the shared integers, by the reply to OBJECT REFCOUNT. Their idle time is of no key: since
 * Redis 7.2 it is days even of a key that was set just now.
 */
export const isShared = (refcount: unknown): boolean =>
  typeof refcount === 'number' && refcount >= SHARED_FROM;
