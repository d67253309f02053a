const CHUNK = 0x8000;

export const toBase64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let from = 0; from < bytes.length; from += CHUNK)
    text += String.fromCharCode(...bytes.subarray(from, from + CHUNK));
  return btoa(text);
};

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** The text of a file; null if it is not UTF-8. */
export const readText = async (file: Blob): Promise<string | null> => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
};

export const readBase64 = async (file: Blob): Promise<string> =>
  toBase64(new Uint8Array(await file.arrayBuffer()));

/** Bytes as pairs of hexadecimal digits, cut after `max` bytes. */
export const hexOf = (bytes: Uint8Array, max: number): string =>
  Array.from(bytes.subarray(0, max), (byte) => byte.toString(16).padStart(2, '0')).join(' ') +
  (bytes.length > max ? ' …' : '');

/** Downloads `content` as a file. */
export const saveFile = (name: string, type: string, content: string | Uint8Array<ArrayBuffer>): void => {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
};
