import type { Family } from './family';
import { type FirstRun, matchAfterPrefix } from './pattern';

/**
 * The family of a key and where its parameters are: spans are byte offsets, two per parameter, valid until the next
 * call.
 */
export interface Located {
  readonly family: Family | null;
  readonly malformedOf: Family | null;
  /**
   * For a key without a family: the family with secrets in its keys and the same prefix, so that this key may contain
   * a secret, too.
   */
  readonly secretOf: Family | null;
  /** The family that the key may belong to, depending on its type and fields; null where its name is unambiguous. */
  readonly candidate: Family | null;
  readonly spans: Int32Array;
}

/** The console's own keys first, so that no other key can pass for them; then markers; then everything else. */
const tier = (family: Family): number =>
  family.app === 'console' ? 0 : family.innerKey === undefined ? 2 : 1;

type Order = (a: Family, b: Family) => number;

/**
 * Which of several matching families gets a key: tier, then most literal bytes, then the longest literal prefix, then a
 * team's own family, then one that is no fallback, then the id. The order is total, so the result never depends on the order of declaration.
 */
const precedence =
  (own: ReadonlySet<string>): Order =>
  (a, b) =>
    tier(a) - tier(b) ||
    b.compiled.literalBytes - a.compiled.literalBytes ||
    b.compiled.literals[0]!.length - a.compiled.literals[0]!.length ||
    Number(own.has(b.app)) - Number(own.has(a.app)) ||
    Number(a.fallback ?? false) - Number(b.fallback ?? false) ||
    (a.id < b.id ? -1 : 1);

interface Candidates {
  /** Families whose first literal is a prefix of the key, in precedence order. */
  readonly families: readonly Family[];
  /** The family of a malformed key, when none matches. */
  readonly malformedOf: Family | null;
  readonly secretOf: Family | null;
}

const candidatesAt = (
  prefix: string,
  ordered: readonly Family[],
  prefixOf: Map<Family, string>,
  byPrecedence: Order,
): Candidates => {
  const families = ordered.filter((family) => prefix.startsWith(prefixOf.get(family)!));
  const named = families.filter((family) => prefixOf.get(family) !== '' && family.paramNames.length > 0);
  named.sort((a, b) => prefixOf.get(b)!.length - prefixOf.get(a)!.length || byPrecedence(a, b));
  const secret = named.find((family) => (family.sensitive?.length ?? 0) > 0);
  return { families, malformedOf: named[0] ?? null, secretOf: secret ?? null };
};

/** A trie over the first literals, as one flat table: `next[node * width + symbol[byte]]`; 0 is the root and "none". */
const buildTrie = (families: readonly Family[], byPrecedence: Order) => {
  const ordered = [...families].sort(byPrecedence);
  const prefixOf = new Map(ordered.map((f) => [f, Buffer.from(f.compiled.literals[0]!).toString('latin1')]));
  const nodes = new Map<string, number>([['', 0]]);
  const symbol = new Uint8Array(256);
  let width = 1;
  for (const prefix of prefixOf.values()) {
    for (let i = 0; i < prefix.length; i++) {
      const byte = prefix.charCodeAt(i);
      if (symbol[byte] === 0) symbol[byte] = width++;
      const path = prefix.slice(0, i + 1);
      if (!nodes.has(path)) nodes.set(path, nodes.size);
    }
  }
  const next = new Uint32Array(nodes.size * width);
  for (const [path, node] of nodes) {
    if (path === '') continue;
    const parent = nodes.get(path.slice(0, -1))!;
    next[parent * width + symbol[path.charCodeAt(path.length - 1)]!] = node;
  }
  const ends = new Set(prefixOf.values());
  const candidates: (Candidates | undefined)[] = [];
  for (const [path, node] of nodes) {
    candidates[node] =
      path === '' || ends.has(path) ? candidatesAt(path, ordered, prefixOf, byPrecedence) : undefined;
  }
  return { next, symbol, width, candidates };
};

/**
 * Builds the classifier of a set of families. Each key costs one walk down the trie of first literals, then one pass
 * per family that shares that first literal: linear in the key's length, whatever the bytes. `own`: the apps of a team's
 * own catalog.
 */
export const createLocator = (
  families: readonly Family[],
  own: ReadonlySet<string> = new Set(),
): ((key: Uint8Array) => Located) => {
  const { next, symbol, width, candidates } = buildTrie(families, precedence(own));
  // An application with bare keys may use any name, so a key without a family may be one of them.
  const bare =
    families.find(({ identifyingFields, sensitive }) => identifyingFields !== undefined && sensitive) ?? null;
  const most = families.reduce((max, family) => Math.max(max, family.paramNames.length), 0);
  const spans = new Int32Array(2 * most);
  const first: FirstRun = { table: null, start: 0, end: 0 };
  return (key) => {
    first.table = null;
    let candidate = candidates[0]!;
    for (let at = 0, node = 0; at < key.length; at++) {
      const known = symbol[key[at]!]!;
      if (known === 0) break;
      node = next[node * width + known]!;
      if (node === 0) break;
      const here = candidates[node];
      if (here !== undefined) candidate = here;
    }
    for (let i = 0; i < candidate.families.length; i++) {
      const family = candidate.families[i]!;
      if (matchAfterPrefix(family.compiled, key, spans, first))
        return {
          family,
          malformedOf: null,
          secretOf: null,
          candidate: family.identifyingFields === undefined ? null : family,
          spans,
        };
    }
    const { malformedOf, secretOf } = candidate;
    return { family: null, malformedOf, secretOf, candidate: bare, spans };
  };
};
