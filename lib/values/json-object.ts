import 'server-only';
import type { StringValue } from '@/lib/redis/reader';
import { textOf } from './string-value';

const bytesOf = (value: unknown): Buffer =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

/** The fields of a JSON object as text, in its order; null where the string is none, or is cut. */
export const jsonObject = ({ bytes, length }: StringValue): Map<string, Buffer> | null => {
  const text = bytes.length === length ? textOf(bytes) : null;
  if (text === null || !/^\s*\{/.test(text)) return null;
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    // What is null says nothing.
    const fields = Object.entries(value).filter(([, one]) => one !== null);
    return new Map(fields.map(([name, one]) => [name, bytesOf(one)]));
  } catch {
    return null;
  }
};
