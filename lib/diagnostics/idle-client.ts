import 'server-only';

/**
 * Whether a long idle time of a client says that it is unused: subscribers and replicas wait for what others send.
 * `flags` and `sub` are fields of CLIENT LIST.
 */
export const isIdleAlone = (flags: string, sub: string): boolean => /^[Nb]+$/u.test(flags) && sub === '0';
