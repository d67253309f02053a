import 'server-only';

/**
 * Whether a client's long idle time means that it is unused: subscribers and replicas only wait for data. `flags` and
 * `sub` are fields of CLIENT LIST.
 */
export const isIdleAlone = (flags: string, sub: string): boolean => /^[Nb]+$/u.test(flags) && sub === '0';
