// The answers of two connections about the same keys, and their differences.

/** Fields that are not compared, by name, with the reason. */
const NOT_COMPARED: Record<string, string> = {
  nextCursor: 'a cursor names a process of a server',
  examined: 'pages over several servers end elsewhere',
  memoryBytes: 'a key takes some bytes more in a cluster, and another encoding after a copy',
  averageKeyBytes: 'follows from the memory',
  encoding: 'of a copy',
  frequency: 'of a copy',
  requestId: 'of one call',
  sample: 'the first that were found',
  samples: 'the first that were found',
  undoUntil: 'a day from the change',
  keyId: 'encrypted where the name is secret, and never the same twice',
  handle: 'a digest under a key of the connection',
  fingerprint: 'a digest under a key of the connection',
  ownerDigest: 'a digest under a key of the connection',
  etag: 'a digest under a key of the connection',
};
/** An id that ends with such a digest. */
const IS_DIGEST = /^(?:\w+\.)*[\w-]{22,}$/;

/** Times of the console's own readings. */
const OWN_TIMES = /^(readAt|sampledAt|countedAt|indexedAt|foundAt|.+CountedAt)$/;

/** Seconds until or since an event, at the time of the reading. */
const RELATIVE = /(ttl|age|idle|Ago|Seconds$|Ms$)/i;
const MAX_APART_SECONDS = 90;
const MAX_TIMES_APART_MS = 3000;
const IS_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** Seconds and times in a text. A time may be computed from a TTL. */
const MOMENTS = /\b\d+(?= s\b)|\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const isObject = (value: Json): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isRelative = (name: string, value: Json): boolean =>
  (typeof value === 'number' && RELATIVE.test(name)) ||
  (typeof value === 'string' && value.search(MOMENTS) >= 0);

/** Pads numbers, so that texts sort numerically. */
const sortable = (text: string): string => text.replace(/\d+/g, (digits) => digits.padStart(16, '0'));

/** Removes what is not compared, and sorts lists. */
const plain = (value: Json, ignored: ReadonlySet<string>): Json => {
  if (Array.isArray(value)) {
    const elements = value.map((element) => plain(element, ignored));
    const texts = elements.map(
      (element) =>
        [
          element,
          sortable(`${JSON.stringify(exactOf(element))} ${JSON.stringify(lifeOf(element))}`),
        ] as const,
    );
    return texts.sort(([, a], [, b]) => (a < b ? -1 : 1)).map(([element]) => element);
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value)
    .map(
      ([field, content]) =>
        [field, field === 'id' && IS_DIGEST.test(String(content)) ? '~' : content] as const,
    )
    .filter(([field]) => !(field in NOT_COMPARED) && !ignored.has(field) && !OWN_TIMES.test(field))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([field, content]) => [field, plain(content, ignored)]));
};

const withoutMoments = (value: Json): Json =>
  typeof value === 'string' ? value.replaceAll(MOMENTS, '~') : '~';

const without = (value: Json, isLeftOut: (name: string, content: Json) => boolean): Json => {
  if (Array.isArray(value)) return value.map((element) => without(element, isLeftOut));
  if (!isObject(value))
    return typeof value === 'string' && isLeftOut('', value) ? withoutMoments(value) : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, content]) => [
      name,
      isLeftOut(name, content) ? withoutMoments(content) : without(content, isLeftOut),
    ]),
  );
};

/** The parts that must be exactly equal. */
const exactOf = (value: Json): Json => without(value, isRelative);

/**
 * A secondary sort value of elements, without relative times: those are equal for many elements, and differ by
 * seconds.
 */
const lifeOf = (value: Json): Json =>
  without(value, (name, content) => isRelative(name, content) && !/ttl|expires/i.test(name));

const textOf = (value: Json | undefined): string =>
  value === undefined ? 'absent' : JSON.stringify(value).slice(0, 160);

/** Whether two texts differ at most in seconds and times that are close to each other. */
const areClose = (first: string, second: string): boolean => {
  const [some, others] = [first, second].map((text) => text.match(MOMENTS) ?? []);
  return (
    withoutMoments(first) === withoutMoments(second) &&
    some!.every((moment, i) =>
      IS_TIME.test(moment)
        ? Math.abs(Date.parse(moment) - Date.parse(others![i]!)) <= MAX_TIMES_APART_MS
        : Math.abs(Number(moment) - Number(others![i])) <= MAX_APART_SECONDS,
    )
  );
};

const compare = (first: Json | undefined, second: Json | undefined, path: string, name: string): string[] => {
  if (Array.isArray(first) && Array.isArray(second)) return compareLists(first, second, path, name);
  if (first !== undefined && second !== undefined && isObject(first) && isObject(second)) {
    const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
    return names.flatMap((field) => compare(first[field], second[field], `${path}.${field}`, field));
  }
  if (typeof first === 'number' && typeof second === 'number' && RELATIVE.test(name)) {
    const unit = /Ms$/.test(name) ? 1000 : 1;
    if (Math.abs(first - second) <= MAX_APART_SECONDS * unit) return [];
  }
  if (typeof first === 'string' && typeof second === 'string' && areClose(first, second)) return [];
  return first === second ? [] : [`${path}: ${textOf(first)} ≠ ${textOf(second)}`];
};

/** The path of an element, with its name if it has one. */
const placeOf = (path: string, element: Json): string =>
  `${path}[${isObject(element) ? String(element.id ?? element.family ?? '') : ''}]`;

/** Compares lists as sets: elements that only one has; pairs of the others, for their relative times. */
const compareLists = (first: Json[], second: Json[], path: string, name: string): string[] => {
  const byText = new Map<string, Json[]>();
  for (const element of second) {
    const text = JSON.stringify(exactOf(element));
    byText.set(text, [...(byText.get(text) ?? []), element]);
  }
  const left: Json[] = [];
  const differences: string[] = [];
  for (const element of first) {
    const same = byText.get(JSON.stringify(exactOf(element)))?.shift();
    if (same === undefined) left.push(element);
    else differences.push(...compare(element, same, placeOf(path, element), name));
  }
  const right = [...byText.values()].flat();
  // In pairs, to show which field differs.
  if (left.length === right.length)
    for (const [i, element] of left.entries())
      differences.push(...compare(element, right[i], placeOf(path, element), name));
  else if (left.length + right.length > 0) {
    const some = [...left, ...right].slice(0, 2).map(textOf).join(' ');
    differences.push(`${path}: ${left.length} only alone, ${right.length} only in the cluster: ${some}`);
  }
  return differences;
};

/** The differences as texts with their paths; `ignored` lists further fields that are not compared. */
export const differencesOf = (first: unknown, second: unknown, ignored: readonly string[] = []): string[] => {
  const names = new Set(ignored);
  return compare(plain(first as Json, names), plain(second as Json, names), '', '');
};
