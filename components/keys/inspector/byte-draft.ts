import { fromBase64, toBase64 } from '@/components/patterns/file-bytes';
import { nameInput } from '@/components/patterns/key-bytes';
import { escapedBytes } from '@/components/patterns/shown-bytes';
import type { BytesInput, ShownBytes } from '@/lib/key-values/schema';
import { nameText } from '@/lib/visible-text';
import { bytesOfHex, hexLines } from './hex-rows';
import { isContainer, parseJson } from './json-rows';
import { inStyle, type JsonStyle, READABLE, styleOf } from './json-style';

/** `name`: the notation in which the console shows and copies names, parsed by `bytesOfName`. */
export const BYTE_FORMS = ['name', 'text', 'hex', 'base64'] as const;
export type ByteForm = (typeof BYTE_FORMS)[number];

/** Bytes being typed. */
export interface ByteDraft {
  form: ByteForm;
  text: string;
  /** The stored text, whose line breaks are kept. */
  model: string;
  /** JSON stored on one line is edited on several, and saved in its original style. */
  style: JsonStyle | null;
}

export const EMPTY: ByteDraft = { form: 'text', text: '', model: '', style: null };
export const EMPTY_NAME: ByteDraft = { ...EMPTY, form: 'name' };

/** Stored bytes as a draft: text where they are UTF-8, otherwise hexadecimal. */
export const draftOf = (bytes: Pick<ShownBytes, 'text' | 'base64'>, readable = false): ByteDraft => {
  if (bytes.text === null) return { ...EMPTY, form: 'hex', text: hexLines(fromBase64(bytes.base64 ?? '')) };
  const style = readable && isContainer(parseJson(bytes.text)) ? styleOf(bytes.text) : null;
  return {
    form: 'text',
    text: style ? inStyle(bytes.text, READABLE) : bytes.text,
    model: bytes.text,
    style,
  };
};

/** The draft of a field's or member's name, in the console's notation. */
export const nameDraftOf = (bytes: Pick<ShownBytes, 'text' | 'base64'>): ByteDraft =>
  inForm(draftOf(bytes), 'name')!;

const isBase64 = (text: string): boolean =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);

/** The bytes to store; null for text that does not fit its form. */
export const inputOf = ({ form, text, style }: ByteDraft): BytesInput | null => {
  if (form === 'text') return { text: style && parseJson(text) !== undefined ? inStyle(text, style) : text };
  if (form === 'name') return nameInput(text);
  if (form === 'base64') {
    const digits = text.replace(/\s+/g, '');
    return isBase64(digits) ? { base64: digits } : null;
  }
  const bytes = bytesOfHex(text);
  return bytes && { base64: toBase64(bytes) };
};

const rawOf = (input: BytesInput): Uint8Array<ArrayBuffer> =>
  'text' in input ? new TextEncoder().encode(input.text) : fromBase64(input.base64);

export const sizeOf = (draft: ByteDraft): number => {
  const input = inputOf(draft);
  return input ? rawOf(input).length : 0;
};

/** The same bytes in another form; null where impossible: not text, or not valid yet. */
export const inForm = (draft: ByteDraft, form: ByteForm): ByteDraft | null => {
  const input = inputOf(draft);
  if (!input) return null;
  const bytes = rawOf(input);
  const next = { ...draft, style: null, form };
  if (form === 'hex') return { ...next, text: hexLines(bytes) };
  if (form === 'base64') return { ...next, text: toBase64(bytes) };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ...next, text: form === 'name' ? nameText(text) : text };
  } catch {
    return form === 'name' ? { ...next, text: escapedBytes(bytes) } : null;
  }
};

export const isSame = (a: BytesInput | null, b: BytesInput | null): boolean => {
  if (!a || !b) return false;
  const [left, right] = [rawOf(a), rawOf(b)];
  return left.length === right.length && left.every((byte, i) => byte === right[i]);
};
