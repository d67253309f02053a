import 'server-only';

/** Servers give the objects that small integers (0 to 9999) share at least this reference count. */
const SHARED_FROM = 2 ** 28;

/**
 * Whether a string is one of the shared integers, by the reply to OBJECT REFCOUNT. Their idle time belongs to no key:
 * since Redis 7.2 it is days even for a key that was just set.
 */
export const isShared = (refcount: unknown): boolean =>
  typeof refcount === 'number' && refcount >= SHARED_FROM;
