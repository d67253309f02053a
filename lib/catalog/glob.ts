const GLOB_SPECIALS = /[\\*?[\]]/gu;

/** Escapes the special characters of Redis globs, so that the text matches literally. */
export function escapeGlob(text: string): string;
export function escapeGlob(text: Uint8Array): Buffer;
export function escapeGlob(text: string | Uint8Array): string | Buffer {
  if (typeof text === 'string') return text.replace(GLOB_SPECIALS, '\\$&');
  return Buffer.from(Buffer.from(text).toString('latin1').replace(GLOB_SPECIALS, '\\$&'), 'latin1');
}
