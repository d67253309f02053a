import 'server-only';
import { parseJsonObject, scalarText, writeJson } from '@/lib/exact-json';
import type { StringValue } from '@/lib/redis/reader';
import { textOf } from './string-value';

const bytesOf = (value: unknown): Buffer => Buffer.from(scalarText(value) ?? writeJson(value));

/** The fields of a JSON object as text, in its order; null for any other or a cut string. */
export const jsonObject = ({ bytes, length }: StringValue): Map<string, Buffer> | null => {
  const value = parseJsonObject((bytes.length === length && textOf(bytes)) || '');
  if (value === null) return null;
  try {
    // A null field carries no information.
    const fields = Object.entries(value).filter(([, field]) => field !== null);
    return new Map(fields.map(([name, field]) => [name, bytesOf(field)]));
  } catch {
    return null;
  }
};
