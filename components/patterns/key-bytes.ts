import { bytesOfName } from '@/lib/visible-text';
import { toBase64 } from './file-bytes';

const MAX_KEYS = 1000;

/** Bytes as an id in links. */
export const base64url = (bytes: Uint8Array): string => {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
};

/** A typed name in the form of the API. */
export const nameInput = (text: string): { text: string } | { base64: string } => {
  const bytes = bytesOfName(text);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: toBase64(bytes) };
  }
};

/** The key ids of a pasted list, one key per line, without duplicates; `tooMany` above the limit of one request. */
export const keyIdsOf = (text: string): { keyIds: string[]; tooMany: boolean } => {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  const keyIds = [...new Set(lines.map((line) => base64url(bytesOfName(line))))];
  return { keyIds, tooMany: keyIds.length > MAX_KEYS };
};
