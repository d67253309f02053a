import { text } from '../grammar';

/** Ids come from another database: `u1000`, `a500`, 24 hexadecimal digits, digits. */
export const anyId = text('any-id', ':', 'any text without ":"');
