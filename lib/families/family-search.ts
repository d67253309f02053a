import 'server-only';
import { badField } from '@/lib/errors';
import { displayParams, escapeGlob } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import { hasOwnPrefix } from '@/lib/keyspace/guarded';
import { maskSecrets } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import type { Search } from './target';

/** Values that narrow a family: of its parameters, and of the names inside its `name=value…` parameter. */
interface Narrowing {
  params: Record<string, string>;
  pairs: Record<string, string>;
}

const isNarrowed = ({ params, pairs }: Narrowing): boolean =>
  Object.keys(params).length + Object.keys(pairs).length > 0;

const refuse = (name: string, message: string) => badField(`params.${name}`, message);

const pairsParam = (family: Family): string | undefined =>
  family.paramNames.find((name) => family.params[name]?.shape.kind === 'pairs');

const fits = (family: Family, name: string, value: string): boolean => {
  try {
    family.match({ [name]: value });
    return true;
  } catch {
    return false;
  }
};

/**
 * A value may contain `*` as a wildcard: `{ id: '12*' }`. If the family has a parameter of pairs, other names refer to
 * pairs: `{ author: '123' }`. Throws 400.
 */
const narrowing = (family: Family, given: Record<string, string>): Narrowing => {
  const out: Narrowing = { params: Object.create(null), pairs: Object.create(null) };
  for (const [name, value] of Object.entries(given)) {
    const inPairs = !family.paramNames.includes(name);
    if (inPairs && (!pairsParam(family) || !/^[\w.-]+$/.test(name) || name === '__proto__'))
      throw refuse(name, `${family.pattern} has no such parameter.`);
    const wrong = inPairs ? value.includes(':') : !value.includes('*') && !fits(family, name, value);
    if (wrong) throw refuse(name, `No key of ${family.pattern} has such a value.`);
    out[inPairs ? 'pairs' : 'params'][name] = value;
  }
  return out;
};

/** `12*` matches values that start with 12, `*` any value. Linear: searches the parts from left to right. */
export const fitsParam = (wanted: string, value: string): boolean => {
  const parts = wanted.split('*');
  if (parts.length === 1) return wanted === value;
  let at = parts[0]!.length;
  if (!value.startsWith(parts[0]!)) return false;
  for (const part of parts.slice(1, -1)) {
    const place = value.indexOf(part, at);
    if (place < 0) return false;
    at = place + part.length;
  }
  const last = parts[parts.length - 1]!;
  return value.length - last.length >= at && value.endsWith(last);
};

const hasPair = (text: string, name: string, wanted: string): boolean =>
  text
    .split(':')
    .some((pair) => pair.startsWith(`${name}=`) && fitsParam(wanted, pair.slice(name.length + 1)));

/** Whether a key of the family with these parameters matches. */
const fitsNarrowing = (
  family: Family,
  { params, pairs }: Narrowing,
  found: Readonly<Record<string, string>>,
): boolean => {
  const inside = found[pairsParam(family) ?? ''] ?? '';
  return (
    Object.entries(params).every(([name, wanted]) => fitsParam(wanted, found[name] ?? '')) &&
    Object.entries(pairs).every(([name, wanted]) => hasPair(inside, name, wanted))
  );
};

const starred = (value: string): string =>
  value
    .split('*')
    .map((part) => escapeGlob(part))
    .join('*');

/** A glob for SCAN that matches every wanted key, and possibly others. */
const globOf = (family: Family, { params, pairs }: Narrowing): Buffer => {
  const [pair] = Object.entries(pairs);
  const inPairs = pairsParam(family);
  const ofParam = (name: string): string => {
    if (params[name] !== undefined) return starred(params[name]);
    return name === inPairs && pair ? `*${starred(`${pair[0]}=${pair[1]}`)}*` : '*';
  };
  const { literals } = family.compiled;
  return Buffer.concat([
    escapeGlob(literals[0]!),
    ...family.paramNames.flatMap((name, i) => [Buffer.from(ofParam(name)), escapeGlob(literals[i + 1]!)]),
  ]);
};

const labelOf = (catalog: Registry, family: Family, { params, pairs }: Narrowing): string => {
  const shown = displayParams(family, params, catalog);
  const narrowed = [
    ...Object.keys(params).map((name) => `${name}=${shown[name]}`),
    ...Object.entries(pairs).map(([name, value]) => `${name}=${maskSecrets(value, true)}`),
  ];
  return family.id + (narrowed.length > 0 ? ` (${narrowed.join(', ')})` : '');
};

/** A search for a family's keys, narrowed by parameters, with its label. Throws 400. */
export const familySearch = (
  catalog: Registry,
  family: Family,
  given: Record<string, string>,
): Search & { label: string } => {
  const narrow = narrowing(family, given);
  const narrowed = isNarrowed(narrow);
  // The glob is wider than the family: each matching key is classified; bare keys are identified when they are read.
  const accepts = (key: Key): boolean => {
    const { family: named, candidate } = catalog.locate(key);
    if ((named ?? candidate)?.id !== family.id || hasOwnPrefix(key)) return false;
    if (!narrowed) return true;
    const classified = catalog.classify(key);
    return classified.family !== null && fitsNarrowing(family, narrow, classified.params);
  };
  const confirmedFamily = family.identifyingFields === undefined ? {} : { confirmedFamily: family };
  return {
    match: globOf(family, narrow),
    accepts,
    ...confirmedFamily,
    label: labelOf(catalog, family, narrow),
  };
};
