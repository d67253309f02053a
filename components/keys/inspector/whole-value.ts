import { queryOptions } from '@tanstack/react-query';
import { fromBase64, toBase64 } from '@/components/patterns/file-bytes';
import type { ShownBytes } from '@/lib/key-values/schema';
import type { KeyDetails } from '@/lib/keys/schema';
import { readKey } from './queries';

/** Larger values are shown page by page, and cannot be edited. */
export const MAX_WHOLE_BYTES = 2 ** 20;

export const bytesOf = ({ text, base64 }: Pick<ShownBytes, 'text' | 'base64'>): Uint8Array<ArrayBuffer> =>
  text === null ? fromBase64(base64 ?? '') : new TextEncoder().encode(text);

/** Bytes as text where they are UTF-8, otherwise as base64. */
const asShown = (bytes: Uint8Array<ArrayBuffer>, masked: boolean): ShownBytes => {
  const known = { bytes: bytes.length, truncated: false, masked, decoded: null };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ...known, text, base64: null };
  } catch {
    return { ...known, text: null, base64: toBase64(bytes) };
  }
};

/** Whether the page of a string is the complete string. */
export const isWhole = ({ string, nextCursor }: KeyDetails): boolean =>
  string !== null && string.offset === 0 && nextCursor === null && !string.page.truncated;

/** A complete string with its etag. Its pages may end within a character. */
const readWhole = async (
  connection: string,
  first: KeyDetails,
  signal: AbortSignal,
): Promise<{ value: ShownBytes; etag: string }> => {
  let page = await readKey(connection, first.keyId, { decode: false }, signal);
  const { etag } = page;
  const parts: Uint8Array[] = [];
  let size = 0;
  let masked = false;
  for (;;) {
    if (page.etag !== etag) throw new Error('The value changed while it was read.');
    const shown = page.string?.page;
    masked ||= shown === undefined || shown.masked;
    const part = shown ? bytesOf(shown) : new Uint8Array();
    parts.push(part);
    size += part.length;
    if (page.nextCursor === null || size > MAX_WHOLE_BYTES) break;
    page = await readKey(connection, first.keyId, { decode: false, cursor: page.nextCursor }, signal);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { value: asShown(bytes, masked), etag };
};

/** The complete value of a string of at most `MAX_WHOLE_BYTES`; not cached once it is not shown. */
export const wholeQuery = (connection: string, details: KeyDetails) =>
  queryOptions({
    // Not a key of the operation: a drawer edits what it read, so a change of the key does not refetch it.
    queryKey: ['keys.whole', connection, details.keyId, details.etag],
    queryFn: ({ signal }) =>
      isWhole(details)
        ? Promise.resolve({ value: details.string!.page, etag: details.etag })
        : readWhole(connection, details, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
