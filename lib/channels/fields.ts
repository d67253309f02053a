import 'server-only';
import { isLosslessNumber, parseJsonObject } from '@/lib/exact-json';
import type { MaskRules } from '@/lib/key-values/secret-spans';
import { replaceSpans, secretSpans } from '@/lib/key-values/show-bytes';
import { isDescribedSecret, isSecretName } from '@/lib/keyspace/secret-name';

type Scalar = string | number | boolean | null;
export type Fields = Record<string, Scalar>;

/** Fields of a message as applications publish them, also inside `data` and `payload`. */
const TOP = ['type', 'user_id', 'entity_type', 'entity_id', 'action', 'timestamp'];
const INNER: Readonly<Record<string, readonly string[]>> = {
  data: ['title', 'author'],
  payload: ['id', 'kind', 'slug', 'title'],
};
const MAX_CHARS = 200;

/** As for values of keys: what the catalog does not describe is masked in doubt. */
export const rulesFor = (isKnown: boolean): MaskRules => ({
  strict: !isKnown,
  isSecretField: isKnown ? isDescribedSecret : isSecretName,
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** A short word holds no secret, and most values are one: this saves most of the time. */
const PLAIN = /^[\w.-]{0,19}$/;

/** It may be an object written as a string, so it is examined as a message is. */
const shown = (value: string, rules: MaskRules): string => {
  if (PLAIN.test(value) && !value.includes('eyJ')) return value;
  const bytes = Buffer.from(value);
  const masked = replaceSpans(bytes, secretSpans(bytes, rules, false)).toString();
  return masked.length > MAX_CHARS ? `${masked.slice(0, MAX_CHARS)}…` : masked;
};

const scalarOf = (value: unknown, rules: MaskRules): Scalar | undefined => {
  if (typeof value === 'string') return shown(value, rules);
  // A JavaScript number cannot have its digits.
  if (isLosslessNumber(value)) return value.toString();
  const isScalar = value === null || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? (value as Scalar) : undefined;
};

/** Nested deeper, a cut text is not closed: the fields that matter are at its beginning. */
const MAX_OPEN = 64;

/** The beginning of a JSON text, closed behind its last complete member; as it is where it has none. */
const closed = (text: string): string => {
  const open: string[] = [];
  let end = -1;
  let closing = '';
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (isInString) {
      if (char === '\\') at++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{') open.push('}');
    else if (char === '[') open.push(']');
    else if (char === '}' || char === ']') open.pop();
    else if (char === ',' && open.length <= MAX_OPEN) {
      end = at;
      closing = open.toReversed().join('');
    }
  }
  return end < 0 ? text : text.slice(0, end) + closing;
};

/**
 * The known fields of a message that is a JSON object; none of any other. Of a cut text those that are complete. Secrets
 * are masked.
 */
export const fieldsOf = (text: string, isCut: boolean, rules: MaskRules): Fields => {
  const fields: Fields = {};
  if (!/^\s*\{/.test(text)) return fields;
  const value = parseJsonObject(isCut ? closed(text) : text);
  if (value === null) return fields;
  const take = (name: string, found: unknown): void => {
    const scalar = scalarOf(found, rules);
    if (scalar !== undefined) fields[name] = scalar;
  };
  for (const name of TOP) if (Object.hasOwn(value, name)) take(name, value[name]);
  for (const [name, inner] of Object.entries(INNER)) {
    if (!Object.hasOwn(value, name)) continue;
    const inside = value[name];
    if (!isObject(inside)) take(name, inside);
    else for (const field of inner) if (Object.hasOwn(inside, field)) take(`${name}.${field}`, inside[field]);
  }
  return fields;
};
