import 'server-only';
import { textOf } from '@/lib/values/string-value';

/** The id of an object in an array, which is what the array leads to; else the object itself. */
const memberOf = (element: unknown): Buffer => {
  if (typeof element === 'string') return Buffer.from(element);
  if (typeof element === 'object' && element !== null && 'id' in element) {
    const { id } = element;
    if (typeof id === 'string' || typeof id === 'number') return Buffer.from(`${id}`);
  }
  return Buffer.from(JSON.stringify(element));
};

/** The elements of a JSON array as members: texts, numbers, and the ids of objects. Null where it is none. */
export const jsonMembers = (bytes: Buffer): Buffer[] | null => {
  const text = textOf(bytes);
  if (text === null || !/^\s*\[/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.map(memberOf) : null;
  } catch {
    return null;
  }
};
