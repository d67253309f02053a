import 'server-only';
import { displayBytes } from '@/lib/keyspace/display';
import { maskSecrets } from '@/lib/keyspace/mask';

/**
 * Text from an application or a browser, made safe to display: truncated, control and invisible characters escaped, and
 * any token in it masked.
 */
export const readable = (text: string | Uint8Array, max: number): string => {
  const plain =
    typeof text === 'string' ? text : text.length <= max ? Buffer.from(text).toString('latin1') : '';
  // Nearly all texts are short and plain, and need no masking.
  if (plain !== '' && plain.length <= max && PLAIN.test(plain) && !plain.includes('eyJ')) return plain;
  return maskSecrets(displayBytes(typeof text === 'string' ? Buffer.from(text) : text, max), false);
};

/** A filter as the audit log stores it: it may contain a pasted token. */
export const auditedFilter = (filter: object, max: number): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, readable(String(value), max)]),
  );

const PLAIN = /^[\x20-\x7e]+$/;
