import 'server-only';

/** A longer reply is refused before it is asked for; what is longer nevertheless is cut. */
export const MAX_REPLY_BYTES = 2 ** 20;
export const MAX_REPLY_ELEMENTS = 10_000;
/** More per step block the server. */
export const MAX_SCAN_COUNT = 1000;
