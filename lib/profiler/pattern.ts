import 'server-only';
import { MASK } from '@/lib/keyspace/mask';

const SEPARATOR = /([:/|])/;
const MAX_PARTS = 5;
const MAX_PART = 40;

/** Parts that differ from key to key: with a digit, masked or long. */
const isId = (part: string): boolean => /\d/.test(part) || part.includes(MASK) || part.length > MAX_PART;

/** The pattern of a displayed key without a family: `shop:cart:*` for `shop:cart:17`. */
export const patternOfUnknown = (displayed: string): string => {
  const parts = displayed.split(SEPARATOR);
  const [last] = parts.slice(-1);
  if (parts.length === 1) return last && !isId(last) ? last : '*';
  const kept = parts.slice(0, 2 * MAX_PARTS - 1);
  const shown = kept.map((part, i) => (i % 2 === 0 && isId(part) ? '*' : part)).join('');
  return kept.length < parts.length ? `${shown}${parts[kept.length]}*` : shown;
};
