const MAX_KEYS = 1000;
const ESCAPE = /\\\\x|\\x([0-9a-fA-F]{2})/g;

/** Bytes as an id in links. */
export const base64url = (bytes: Uint8Array): string => {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
};

/** The bytes of a key as it is shown: UTF-8, `\xNN` for a byte, `\\x` for a backslash before an x. */
export const bytesOfKey = (text: string): Uint8Array => {
  const encoder = new TextEncoder();
  const parts: number[] = [];
  let at = 0;
  for (const match of text.matchAll(ESCAPE)) {
    parts.push(...encoder.encode(text.slice(at, match.index)));
    if (match[1] === undefined) parts.push(...encoder.encode('\\x'));
    else parts.push(Number.parseInt(match[1], 16));
    at = match.index + match[0].length;
  }
  parts.push(...encoder.encode(text.slice(at)));
  return Uint8Array.from(parts);
};

/** The key ids of a pasted list, one key per line, without duplicates; `tooMany` above the limit of one request. */
export const keyIdsOf = (text: string): { keyIds: string[]; tooMany: boolean } => {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  const keyIds = [...new Set(lines.map((line) => base64url(bytesOfKey(line))))];
  return { keyIds, tooMany: keyIds.length > MAX_KEYS };
};
