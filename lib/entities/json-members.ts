import 'server-only';
import { parseJson, scalarText, writeJson } from '@/lib/exact-json';
import { textOf } from '@/lib/values/string-value';

/** Shown for an element with more levels than can be written as text. */
const TOO_DEEP = '[…]';

/** An element as a member: the id of an object, which the array refers to; otherwise the element itself. */
export const memberText = (element: unknown): string => {
  const hasId = typeof element === 'object' && element !== null && 'id' in element;
  const text = scalarText(element) ?? (hasId ? scalarText(element.id) : null);
  if (text !== null) return text;
  try {
    return writeJson(element);
  } catch {
    return TOO_DEEP;
  }
};

/** The elements of a JSON array; null for other text. */
export const jsonArray = (bytes: Buffer): unknown[] | null => {
  const text = textOf(bytes);
  if (text === null || !/^\s*\[/.test(text)) return null;
  try {
    const value = parseJson(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
};
