import { fromBase64 } from '@/components/patterns/file-bytes';
import { escapedBytes } from '@/components/patterns/shown-bytes';
import type { KeyDetails } from '@/lib/keys/schema';
import { nameText } from '@/lib/visible-text';

/** The key's bytes, if its id encodes them; null for a key that contains a secret or is very long. */
export const keyBytes = (keyId: string): Uint8Array<ArrayBuffer> | null => {
  if (/^[sh]\./.test(keyId)) return null;
  try {
    return fromBase64(keyId.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return null;
  }
};

/** The text to copy, which fields for names parse to the same key; the displayed text for a masked or very long key. */
export const copiedKey = ({ keyId, key }: Pick<KeyDetails, 'keyId' | 'key'>): string => {
  const bytes = keyBytes(keyId);
  if (!bytes) return key;
  try {
    return nameText(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return escapedBytes(bytes);
  }
};
