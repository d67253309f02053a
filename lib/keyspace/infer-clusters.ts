import { looksRandom } from './mask';

/** A key during clustering: the rest of its text, and the parameter values before it. */
export interface Item {
  readonly index: number;
  readonly rest: string;
  readonly values: readonly string[];
}

/** Keys of one pattern. A null piece is a parameter; the n-th one has the n-th value of each item. */
export interface Cluster {
  readonly pieces: readonly (string | null)[];
  readonly items: readonly Item[];
}

/** Separators of a key's parts. The first one that occurs in a key separates its parts; the others are text. */
const PRIMARY = [':', '|', '#', '/', '.'] as const;
const SEPARATOR = /[!-/:-@[-`{-~ ]/u;

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const TIME = '[T ]\\d{2}(?::?\\d{2}){0,2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:?\\d{2})?';
const DATE = `\\d{4}([-/._])\\d{2}\\1\\d{2}(?:${TIME})?`;
const GROUP = '[0-9a-fA-F]{1,4}';
const GROUPS = `${GROUP}(?::${GROUP}){0,6}`;
const IPV4 = '\\d{1,3}(?:\\.\\d{1,3}){3}';
/** A digit precedes the `::`; otherwise it is a word with its separator (`feed::42`). */
const IPV6 = `(?:${GROUP}:){7}${GROUP}|(?=(?:[A-Fa-f]|:(?!:))*\\d)${GROUPS}::${GROUPS}|::(?:[Ff]{4}:)?${IPV4}|::${GROUPS}`;
/** Requires a letter: six numbers may be anything. */
const MAC = '(?=[\\d:-]*[A-Fa-f])[0-9a-fA-F]{2}(?:(?::[0-9a-fA-F]{2}){5}|(?:-[0-9a-fA-F]{2}){5})';
const ADDRESS = `${IPV4}|${IPV6}|\\[(?:${IPV6})\\]|${MAC}`;
/** Without `_`, which may end the preceding word. */
const EMAIL = '[A-Za-z0-9][A-Za-z0-9.+-]*@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+';
const COMPOUND_FORMS = `${UUID}|${DATE}|${EMAIL}|${ADDRESS}`;
/** Values that contain separators themselves. */
const COMPOUNDS = new RegExp(`(?<![A-Za-z0-9])(?:${COMPOUND_FORMS})(?![A-Za-z0-9])`, 'gu');
const COMPOUND = new RegExp(`^(?:${COMPOUND_FORMS})(?![A-Za-z0-9])`, 'u');
const IS_UUID = new RegExp(`^${UUID}$`, 'u');
const IS_DATE = new RegExp(`^(?:${DATE}|(?:19|20)\\d{2}[-/_.](?:0[1-9]|1[0-2]|[Ww]\\d{2}))$`, 'u');
const IS_ADDRESS = new RegExp(`^(?:${ADDRESS})$`, 'u');
const IS_EMAIL = /^[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/u;
const IS_HEX = /^(?=.*\d)[0-9a-fA-F]{8,}$/u;
const IS_JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/u;

export type ValueClass = 'digits' | 'uuid' | 'date' | 'address' | 'email' | 'hex' | 'jwt' | 'random' | 'word';

/** A word may be fixed text; everything else is the value of a parameter. */
export const classOf = (value: string): ValueClass => {
  if (/^\d+$/u.test(value)) return 'digits';
  if (IS_UUID.test(value)) return 'uuid';
  if (IS_DATE.test(value)) return 'date';
  if (IS_ADDRESS.test(value)) return 'address';
  if (IS_EMAIL.test(value)) return 'email';
  if (IS_HEX.test(value)) return 'hex';
  if (IS_JWT.test(value)) return 'jwt';
  if (isSlug(value)) return 'word';
  return value.length > 64 || looksRandom(value) || /\p{C}|^\d+\./u.test(value) ? 'random' : 'word';
};

const MAX_VALUES = 8;
const MAX_DEPTH = 24;
/** Limit of fixed words in one place below a prefix; more of them are values. */
const MAX_WORDS = 12;
/** The limit where only values precede, such as tenants: without fixed words the keys would have no pattern. */
const MAX_FIRST_WORDS = 40;
const MAX_BEGINNINGS = 200;

/** This many keys with different beginnings and the same following word form a family. */
const MIN_BEFORE = 5;

interface Split {
  readonly item: Item;
  readonly head: string;
  /** Null at the end of the key; otherwise it begins with a separator. */
  readonly tail: string | null;
}

const splitAt = (item: Item, separator: string | RegExp): Split => {
  const { rest } = item;
  const compound = COMPOUND.exec(rest)?.[0];
  const after = compound === undefined ? undefined : rest.charAt(compound.length);
  if (compound !== undefined && (after === '' || typeof separator !== 'string' || after === separator))
    return { item, head: compound, tail: after === '' ? null : rest.slice(compound.length) };
  const at = typeof separator === 'string' ? rest.indexOf(separator) : rest.search(separator);
  return at < 0 ? { item, head: rest, tail: null } : { item, head: rest.slice(0, at), tail: rest.slice(at) };
};

const groupBy = <T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of all) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
};

const firstWord = (tail: string | null): string => /^[^A-Za-z]?([A-Za-z][\w-]*)/u.exec(tail ?? '')?.[1] ?? '';

/** This many beginnings with the same words are values; fewer are values only if they have several words in common. */
const MANY_HEADS = 20;
const MIN_SHARED_WORDS = 5;

/**
 * Heads that are values, because the same words follow many of them (`acme:user`, `globex:user`), or several words
 * follow a few (`prod_port`, `dev_port`). Heads followed by different ids are fixed (`user:profile:1`, `user:cart:1`).
 */
const valuesAmong = (heads: ReadonlyMap<string, readonly Split[]>): Set<string> => {
  if (heads.size < 3) return new Set();
  const under = new Map<string, Set<string>>();
  for (const [head, splits] of heads)
    for (const { tail } of splits) {
      const word = firstWord(tail);
      if (word !== '' && classOf(word) === 'word') under.set(word, (under.get(word) ?? new Set()).add(head));
    }
  const isShared = (word: string) =>
    (under.get(word)?.size ?? 0) >= (heads.size < MANY_HEADS ? 3 : MANY_HEADS);
  const words = new Set([...under.keys()].filter(isShared));
  const isValue = (splits: readonly Split[]) => {
    const followed = splits.filter(({ tail }) => firstWord(tail) !== '');
    return (
      followed.length > 0 &&
      followed.filter(({ tail }) => words.has(firstWord(tail))).length >= 0.7 * followed.length
    );
  };
  const values = [...heads].filter(([, splits]) => isValue(splits)).map(([head]) => head);
  const isEnough = values.length >= MANY_HEADS || (values.length >= 3 && words.size >= MIN_SHARED_WORDS);
  return new Set(isEnough ? values : []);
};

/** Words that differ only in a number, such as hosts. */
const numbered = (words: Iterable<string>): string[] => {
  const stems = groupBy([...words], (word) => word.replace(/\d+/gu, '0'));
  return [...stems.values()].filter(({ length }) => length >= 3).flat();
};

const valuesBefore = (splits: readonly Split[]): number =>
  new Set(splits.map(({ item }) => item.values.at(-1))).size;

/** Whether a word occurs under most values of the preceding parameter, like the lists of each queue. */
const recurs = (those: readonly Split[], all: readonly Split[]): boolean =>
  valuesBefore(those) > Math.max(1, valuesBefore(all) / 2);

const SINGLE = /^(?:[a-z]+|[A-Z]+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+)\d{0,2}$/u;

/** A word as people write it: with vowels and without many consonants in a row. */
const isReadable = (part: string): boolean =>
  part.length <= 20 &&
  SINGLE.test(part) &&
  (/[aeiouy]/iu.test(part) || part.length <= 3) &&
  !/[bcdfghjklmnpqrstvwxz]{5}/iu.test(part);

/** Words joined as in the URL of an article, possibly abbreviated or numbers. */
export const isSlug = (text: string): boolean => {
  const parts = text.split(/[-_. ]/u);
  const words = parts.filter((part) => isReadable(part));
  const others = parts.filter((part) => !isReadable(part));
  return (
    words.length >= 0.7 * parts.length && others.every((part) => /^(?:[a-z]{1,8}|\d{1,4})$/iu.test(part))
  );
};

const isName = (text: string): boolean =>
  text.length <= 100 && !looksRandom(text) && text.split(/[:|#/._-]/u).every(isReadable);

interface Fixed {
  readonly words: ReadonlyMap<string, readonly Split[]>;
  /** Whether another word is also a value, rather than a name. */
  isValue(word: string): boolean;
}

/**
 * Up to this many words with the same type as neighbouring ids are names, too, such as a queue's settings; more are
 * ids.
 */
const MAX_ALIKE_NAMES = 3;

export const mostFrequent = <T>(all: readonly T[]): T | undefined =>
  [...groupBy(all, String).values()].sort((a, b) => b.length - a.length)[0]?.[0];

class Clustering {
  readonly clusters: Cluster[] = [];
  readonly left: Item[] = [];

  constructor(private readonly typeOf: (index: number) => string | null) {}

  private emit(pieces: Cluster['pieces'], items: readonly Item[]): void {
    if (items.length > 0) this.clusters.push({ pieces, items });
  }

  /** Words among ids that name other things, judged by their types: the lists and counters of a queue among its jobs. */
  private namesBesideIds(
    splits: readonly Split[],
    words: readonly (readonly [string, readonly Split[]])[],
  ): Set<string> {
    const ids = splits.filter(({ head, tail }) => tail === null && head !== '' && classOf(head) !== 'word');
    const type = mostFrequent(ids.map(({ item }) => this.typeOf(item.index)));
    const isOther = ([, those]: (typeof words)[number]) =>
      those.some(({ item, tail }) => tail === null && this.typeOf(item.index) !== type);
    const others = words.filter((word) => /^[A-Za-z][A-Za-z_-]*$/u.test(word[0]) && isOther(word));
    if (ids.length < 3 || others.length < 2 || others.length > MAX_FIRST_WORDS) return new Set();
    const alike = words.filter((word) => !isOther(word) && isName(word[0]));
    return new Set([...others, ...(alike.length > MAX_ALIKE_NAMES ? [] : alike)].map(([word]) => word));
  }

  /** Heads that are fixed text here. Empty heads always are, because parameters are never empty. */
  private fixed(
    splits: readonly Split[],
    depth: number,
    { share, most }: { share: number; most: number },
  ): Fixed {
    const heads = groupBy(splits, ({ head }) => head);
    const words = [...heads].filter(([head]) => head !== '' && classOf(head) === 'word');
    const count = words.reduce((sum, [, those]) => sum + those.length, 0);
    const min = depth === 0 ? 2 : Math.max(2, share * count);
    // A single word is fixed, even among ids (`user:online`).
    const isOnly = depth > 0 && words.length === 1;
    const frequent = new Map(words.filter(([, those]) => isOnly || those.length >= min));
    const isLongTailed = () =>
      [...frequent.values()].reduce((sum, { length }) => sum + length, 0) < 0.7 * count;
    const areTooMany = !isOnly && depth > 0 && (frequent.size > most || isLongTailed());
    const values = isOnly ? new Set<string>() : valuesAmong(frequent);
    for (const head of numbered(frequent.keys())) values.add(head);
    for (const head of areTooMany ? [...frequent.keys(), ...values] : values) frequent.delete(head);
    const names = depth === 0 ? new Set() : this.namesBesideIds(splits, words);
    const recurring = words.filter(([head, those]) => !values.has(head) && recurs(those, splits));
    if (recurring.length <= most) for (const [head] of recurring) names.add(head);
    for (const [head, those] of words) if (names.has(head)) frequent.set(head, those);
    // If hundreds of beginnings repeat, most are parts of values.
    if (frequent.size > MAX_BEGINNINGS)
      for (const [head, { length }] of frequent)
        if (length < 0.01 * splits.length && !isName(head)) frequent.delete(head);
    const empty = heads.get('');
    if (empty && (depth > 0 || empty.length >= min)) frequent.set('', empty);
    return { words: frequent, isValue: (word) => values.has(word) };
  }

  /** Splits keys at one separator. */
  primary(items: readonly Item[], pieces: Cluster['pieces'], separator: string, depth = 0): void {
    const values = pieces.filter((piece) => piece === null).length;
    if (values >= MAX_VALUES || depth >= MAX_DEPTH) {
      this.end(items, pieces);
      return;
    }
    const splits = items.map((item) => splitAt(item, separator));
    const isFirst = !pieces.some((piece) => piece !== null && /[\p{L}\p{N}]/u.test(piece));
    const bounds = isFirst ? { share: 0.005, most: MAX_FIRST_WORDS } : { share: 0.03, most: MAX_WORDS };
    const { words: fixed, isValue: isValueHead } = this.fixed(splits, depth, bounds);
    for (const [word, those] of fixed) {
      this.emit(
        [...pieces, word],
        those.filter(({ tail }) => tail === null).map(({ item }) => item),
      );
      const more = those.flatMap(({ item, tail }) =>
        tail === null ? [] : [{ ...item, rest: tail.slice(1) }],
      );
      if (more.length > 0) this.primary(more, [...pieces, word + separator], separator, depth + 1);
    }
    const others = splits.filter(({ head }) => !fixed.has(head));
    const isTop = depth === 0;
    const after = groupBy(isTop ? others : [], ({ tail }) => firstWord(tail));
    // Many beginnings with the same following word (`{user1}:feed`).
    const isBefore = ({ tail }: Split) => {
      const word = firstWord(tail);
      return word !== '' && classOf(word) === 'word' && after.get(word)!.length >= MIN_BEFORE;
    };
    const isValue = (split: Split) =>
      !isTop ||
      (split.tail !== null &&
        split.head !== '' &&
        (isValueHead(split.head) || classOf(split.head) !== 'word' || isBefore(split)));
    if (isTop) this.left.push(...others.filter((split) => !isValue(split)).map(({ item }) => item));
    const variable = others.filter(isValue);
    this.end(
      variable.filter(({ tail }) => tail === null).map(({ item }) => item),
      pieces,
    );
    const more = variable.flatMap(({ item, head, tail }) =>
      tail === null ? [] : [{ ...item, rest: tail.slice(1), values: [...item.values, head] }],
    );
    if (more.length > 0) this.primary(more, [...pieces, null, separator], separator, depth + 1);
  }

  /** Splits at separators of any kind, where a key has no other structure. */
  secondary(items: readonly Item[], pieces: Cluster['pieces'], depth = 0): void {
    const values = pieces.filter((piece) => piece === null).length;
    if (values >= MAX_VALUES || depth >= MAX_DEPTH) {
      this.end(items, pieces);
      return;
    }
    const splits = items.map((item) => splitAt(item, SEPARATOR));
    const isTop = depth === 0;
    const fixed: Fixed['words'] =
      depth > 3 ? new Map() : this.fixed(splits, depth, { share: 0.1, most: MAX_WORDS }).words;
    for (const [word, those] of fixed) {
      const ended = those.filter(({ tail }) => tail === null).map(({ item }) => item);
      this.emit([...pieces, word], ended);
      this.follow(those, [...pieces, word], depth, false);
    }
    const others = splits.filter(({ head }) => !fixed.has(head));
    const isValue = ({ head, tail }: Split) => tail !== null && classOf(head) !== 'word';
    const among = others.filter(isValue);
    const isEnough = isTop || among.length >= Math.max(2, 0.1 * others.length);
    const rest = others.filter((split) => !isEnough || !isValue(split)).map(({ item }) => item);
    if (isTop) this.left.push(...rest);
    else if (!this.isSplit(rest, pieces, depth)) this.end(rest, pieces);
    if (isEnough) this.follow(among, [...pieces, null], depth, true);
  }

  /** `cfg_{env}_{name}`: words that repeat under many others are values, followed by the name. */
  private isSplit(items: readonly Item[], pieces: Cluster['pieces'], depth: number): boolean {
    if (depth !== 1) return false;
    const splits = items.map((item) => splitAt(item, SEPARATOR));
    const heads = groupBy(splits, ({ head, tail }) => (tail === null ? '' : head));
    const frequent = new Map([...heads].filter(([head, those]) => head !== '' && those.length >= 3));
    const total = [...frequent.values()].reduce((sum, those) => sum + those.length, 0);
    if (frequent.size > 20 || total < 0.9 * items.length || valuesAmong(frequent).size < frequent.size)
      return false;
    this.end(
      splits.filter(({ head, tail }) => tail === null || !frequent.has(head)).map(({ item }) => item),
      pieces,
    );
    for (const [separator, those] of groupBy([...frequent.values()].flat(), ({ tail }) => tail!.charAt(0))) {
      const more = those.map(({ item, head, tail }) => ({
        ...item,
        rest: tail!.slice(1),
        values: [...item.values, head],
      }));
      this.end(more, [...pieces, null, separator]);
    }
    return true;
  }

  private follow(splits: readonly Split[], pieces: Cluster['pieces'], depth: number, isValue: boolean): void {
    const more = splits.filter(({ tail }) => tail !== null);
    for (const [separator, those] of groupBy(more, ({ tail }) => tail!.charAt(0))) {
      const items = those.map(({ item, head, tail }) => ({
        ...item,
        rest: tail!.slice(1),
        values: isValue ? [...item.values, head] : item.values,
      }));
      this.secondary(items, [...pieces, separator], depth + 1);
    }
  }

  /** Ends with a parameter: the rest of these keys is one value. */
  private end(items: readonly Item[], pieces: Cluster['pieces']): void {
    const [empty, others] = [
      items.filter(({ rest }) => rest === ''),
      items.filter(({ rest }) => rest !== ''),
    ];
    this.emit(pieces, empty);
    this.emit(
      [...pieces, null],
      others.map((item) => ({ ...item, rest: '', values: [...item.values, item.rest] })),
    );
  }

  /** `user42`: letters followed by a number. */
  numbered(items: readonly Item[]): void {
    const splits = items.map((item) => ({ item, match: /^(\D+?)(\d+)$/u.exec(item.rest) }));
    for (const [prefix, those] of groupBy(splits, ({ match }) => match?.[1] ?? '')) {
      const isFamily = prefix !== '' && those.length >= 3 && classOf(prefix) === 'word';
      if (!isFamily) this.left.push(...those.map(({ item }) => item));
      else
        this.emit(
          [prefix, null],
          those.map(({ item, match }) => ({ ...item, rest: '', values: [...item.values, match![2]!] })),
        );
    }
  }
}

/** The form of a complete name that is one generated value; empty where it may contain words. */
const bareFormOf = ({ rest }: Item): string => {
  if (IS_UUID.test(rest)) return 'uuid';
  if (/^[0-9a-fA-F]{32,128}$/u.test(rest)) return `hex ${rest.length}`;
  const isEncoded =
    /^[A-Za-z0-9+/]{20,128}={0,2}$/u.test(rest) &&
    looksRandom(rest) &&
    !rest.split(/[+/]/u).some((part) => part.length > 3 && isReadable(part));
  return isEncoded ? `base64 ${rest.length}` : '';
};
const MIN_BARE = 5;

const MAX_SINGLES = 50;
/** Keys without similar ones: names, unless they are so many that they are noise. */
const singles = (items: readonly Item[]): Cluster[] => {
  const readable = items.filter(({ rest }) => isName(rest));
  if (readable.length > MAX_SINGLES) return [];
  return readable.map((item) => ({ pieces: [item.rest], items: [{ ...item, rest: '' }] }));
};

const BRACKETS = /[{}[\]()<>]/u;
const allAlike = (chars: readonly (string | undefined)[]): string => {
  const [first] = chars;
  return first !== undefined && BRACKETS.test(first) && chars.every((char) => char === first) ? first : '';
};

/** Brackets around all values of a parameter are fixed text: `{user:42}:cart` is `{user:{id}}:cart`. */
const withBrackets = ({ pieces, items }: Cluster): Cluster => {
  if (items.length < 2 || !pieces.includes(null)) return { pieces, items };
  let at = 0;
  let inner = items.map(({ values }) => [...values]);
  const out = pieces.flatMap((piece) => {
    if (piece !== null) return [piece];
    const index = at++;
    const values = inner.map((item) => item[index]!);
    const [open, close] = [allAlike(values.map(([char]) => char)), allAlike(values.map((v) => v.at(-1)))];
    const stripped = values.map((value) => value.slice(open.length, value.length - close.length));
    if (stripped.includes('')) return [null];
    inner = inner.map((each, i) => each.with(index, stripped[i]!));
    return [open, null, close].filter((piece) => piece !== '');
  });
  // Adjacent pieces without a value between them are one text.
  const joined = out.reduce<(string | null)[]>((all, piece) => {
    const before = all.at(-1);
    if (piece !== null && typeof before === 'string') all[all.length - 1] = before + piece;
    else all.push(piece);
    return all;
  }, []);
  return { pieces: joined, items: items.map((item, i) => ({ ...item, values: inner[i]! })) };
};

/**
 * Clusters keys by common words. Omits keys without similar ones, and patterns without parameters for keys that may be
 * secrets.
 */
export const clusterKeys = (
  texts: readonly (readonly [index: number, text: string])[],
  mayBeSecret: (index: number) => boolean = () => false,
  typeOf: (index: number) => string | null = () => null,
): Cluster[] => {
  const all = texts.map(([index, rest]) => ({ index, rest, values: [] }));
  const bare = groupBy(all, bareFormOf);
  const items = bare.get('') ?? [];
  bare.delete('');
  const alike = [...bare.values()].filter(({ length }) => length >= MIN_BARE);
  const structured = new Clustering(typeOf);
  const separatorOf = ({ rest }: Item) => {
    const plain = rest.replace(COMPOUNDS, '0');
    return PRIMARY.find((separator) => plain.includes(separator)) ?? '';
  };
  for (const [separator, those] of groupBy(items, separatorOf)) {
    if (separator === '') structured.left.push(...those);
    else structured.primary(those, [], separator);
  }
  const loose = new Clustering(typeOf);
  loose.secondary(structured.left, []);
  const numbered = new Clustering(typeOf);
  numbered.numbered(loose.left);
  const clusters = [...structured.clusters, ...loose.clusters, ...numbered.clusters].map(withBrackets);
  for (const those of alike)
    clusters.push({
      pieces: [null],
      items: those.map((item) => ({ ...item, rest: '', values: [item.rest] })),
    });
  const isSecret = ({ index }: Item) => mayBeSecret(index);
  const isNoise = ({ pieces, items: those }: Cluster) =>
    !pieces.includes(null) && ((those.length === 1 && !isName(pieces.join(''))) || those.some(isSecret));
  return [
    ...clusters.filter((cluster) => !isNoise(cluster)),
    ...singles(numbered.left.filter((item) => !isSecret(item))),
  ];
};
