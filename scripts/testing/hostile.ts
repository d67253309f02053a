import { z } from 'zod';
import { type Contract, pathParameters } from '@/lib/contract';
import { CONNECTION, ORIGIN } from './interface';

/** One request nobody should send. */
export interface HostileRequest {
  what: string;
  request: Request;
  params: Record<string, string>;
}

type Json = Record<string, unknown>;

/** The same numbers in every run of one seed (mulberry32). */
export const randomOf = (seed: number) => {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return { next, pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]! };
};
type Random = ReturnType<typeof randomOf>;

/** What looks like a secret, and must not come back in a refusal. */
export const PLANTED = 'kw_PLANTEDplantedPLANTEDplantedPLANTEDplanted123';
const PLANTED_JWT = `eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoiMSJ9.${PLANTED.slice(3)}`;
export const PLANTED_PART = PLANTED.slice(3, 27);

const base64url = (text: string): string => Buffer.from(text, 'latin1').toString('base64url');
const nested = (depth: number, inner: unknown): unknown => {
  let value = inner;
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value };
  return value;
};

const SECRETS = [PLANTED, PLANTED_JWT, `session:1:${PLANTED_JWT}`, `FEATURE_${PLANTED}`];
const words = (text: string): string[] => text.trim().split(/ +|\n */);

/** What broke something once comes first: the first two of each are tried in every place that is like them. */
const TIMES = words(`
  0000-01-01T00:00:00Z 9999-12-31T23:59:59.999Z +275760-09-13T00:00:00Z +275760-09-13 0000-00-00 0000-00-00T00:00:00Z
  1970-01-01T00:00:00Z -271821-04-20T00:00:00Z 2026-02-30T00:00:00Z 2026-01-01T24:00:00Z 2026-12-31T23:59:60Z
  2026-01-01T00:00:00.0000000000000001Z 2026-01-01 now`);
const CURSORS = [
  ...words('0-0 18446744073709551616 0 -1 18446744073709551615 9999999999999-1 99999999999999999999 null'),
  ...['{}', '[]', 'null', '{"cursor":"0"}', '["0",[],null]', '\xff', '[1e400]', '[null]'].map(base64url),
  'x'.repeat(1999),
];
const NUMBERS = words(`
  1e308 9007199254740993 NaN Infinity -Infinity -1e308 1e400 -0 1e-320 0x10 １２３ ٣ -1 0 0.5 1.0000000000000001
  2147483648 4294967296 18446744073709551616 1_000`);
const ADDRESSES = words(`
  ::%\0 0x7f.1 999.999.999.999 ::ffff:1.2.3.4 1.2.3.4/0 fe80::1%eth0 :: 1.2.3.4:80 0177.0.0.1 ２.2.2.2
  64:ff9b::10.0.0.1 [::1] 127.1 4294967295 ${':'.repeat(64)}`);
const IDS = [
  ...['\xff\xfe\x00', 'x'.repeat(9000), 'env_vars:X', 'keyward:audit'].map(base64url),
  ...words(`A ==== _-_- AA== ${'-'.repeat(36)} ${'0'.repeat(24)} : 1:x 1.eA -1 01 ${'1'.repeat(40)}`),
  ...words(
    '00000000-0000-0000-0000-000000000000 FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF aaaaaaaaaaaaaaaaaaaaaaaa',
  ),
];
const GLOBS = [
  ...words(
    String.raw`[ \ * ** ? [a- [^] *\ [z-a]* (a+)+$ ^(([a-z])+.)+[A-Z]([a-z])+$ *:*:*:*:*:*:* author:id:[0-9]*`,
  ),
  ...['*a'.repeat(60), '*a'.repeat(240), '?'.repeat(500), `${'a'.repeat(200)}!`, 'session:*\0*'],
];
const STRINGS = [
  ...words(
    '__proto__ constructor toString hasOwnProperty null undefined true ../../etc/passwd %2e%2e%2f %00 %zz / . ..',
  ),
  ...words(
    'a/b <script> =1+1 ＝1+1 " ﷽ FEATURE_\0 FEATURE_\ud800 FEATURE_* FEATURE_Ж \ud800 x\udfff a\0b \0 \x7f\x1b[2J',
  ),
  ...[
    '',
    ' ',
    ' FEATURE_A',
    'FEATURE_A\r\nB',
    'a\r\nSet-Cookie: x=1',
    'a\nb',
    '\u202eevil',
    'a\u200bb',
    '\u2028',
  ],
  ...['x'.repeat(65_536), '💥'.repeat(16_384), '\\'.repeat(500), `FEATURE_${'X'.repeat(600)}`],
];
const VALUES: unknown[] = [
  ...[null, true, [], {}, 0, -0, -1, 0.5, 1e308, -1e308, 2 ** 53 + 1, 1e-320, 2147483648],
  ...[nested(12, 1), nested(400, 'x'), Array(10_000).fill('x'), Array(10_000).fill({}), [[[]]], [null], ['']],
  ...[
    JSON.parse('{"__proto__":{"a":1}}'),
    { constructor: { prototype: {} } },
    { length: 1e9 },
    { toString: 1 },
    { $ne: '' },
  ],
  ...[
    Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`field${i}`, i])),
    { '': '' },
    { [PLANTED]: PLANTED },
  ],
];

interface Schema {
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** A place in an input where something can be put. */
interface Place {
  path: (string | number)[];
  schema: Schema;
}

const branches = (schema: Schema): Schema[] => [
  ...(schema.anyOf ?? []),
  ...(schema.oneOf ?? []),
  ...(schema.allOf ?? []),
];

const placesIn = (schema: Schema, path: Place['path'] = []): Place[] => {
  const here = path.length > 0 && branches(schema).length === 0 ? [{ path, schema }] : [];
  const record = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : null;
  return [
    ...here,
    ...branches(schema).flatMap((inner) => placesIn(inner, path)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => placesIn(inner, [...path, name])),
    ...(record ? placesIn(record, [...path, 'field']) : []),
    ...(schema.items ? placesIn(schema.items, [...path, 0]) : []),
  ];
};

/** Something that a schema might accept. */
const exampleOf = (schema: Schema): unknown => {
  if (schema.enum) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const [first] = branches(schema);
  if (first) return exampleOf(first);
  if (schema.type === 'object')
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name] ?? {})]),
    );
  if (schema.type === 'array') return [exampleOf(schema.items ?? {})];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  return schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'x';
};

/** `base` with `value` at `path`; what is on the way and not there is made. */
const withValue = (base: unknown, [name, ...rest]: Place['path'], value: unknown): unknown => {
  if (name === undefined) return value;
  if (typeof name === 'number') return [withValue(Array.isArray(base) ? base[0] : undefined, rest, value)];
  const object = typeof base === 'object' && base !== null && !Array.isArray(base) ? base : {};
  return { ...object, [name]: withValue((object as Json)[name], rest, value) };
};

/** What is worst for a place, judged by what it is called and what it takes. */
const poolFor = ({ path, schema }: Place, cursors: readonly string[]): readonly string[] => {
  const name = String(path.findLast((part) => typeof part === 'string')).toLowerCase();
  if (name === 'cursor') return [...CURSORS, ...cursors];
  if (schema.format === 'date-time' || /^(at|from|to|until|expiresat)$/.test(name)) return TIMES;
  if (schema.type === 'integer' || schema.type === 'number') return NUMBERS;
  if (/pattern|match|^q$|params|field|name$/.test(name)) return [...GLOBS, ...STRINGS];
  if (/^ips?$|address/.test(name)) return ADDRESSES;
  return /ids?$|handles?$|key|etag/.test(name) ? [...IDS, ...STRINGS] : STRINGS;
};

const hostileValue = (place: Place, { cursors, random, contract }: Attack): unknown => {
  const dice = random.next();
  if (dice < 0.08) return random.pick(SECRETS);
  if (dice < 0.55) return random.pick(poolFor(place, cursors));
  if (dice < 0.75 || contract.method === 'GET') return random.pick([...STRINGS, ...NUMBERS, ...TIMES]);
  return random.pick(VALUES);
};

/** Header values have no NUL and no line ends; everything else of one byte they may have. */
const HEADERS: Record<string, string>[] = [
  { 'last-event-id': '9'.repeat(400) },
  { 'last-event-id': '+275760-09-13T00:00:00.000Z' },
  { 'last-event-id': '-1' },
  { 'last-event-id': '99999999999999999999-99999999999999999999' },
  { 'last-event-id': '9007199254740993-0' },
  { 'last-event-id': '1e308' },
  { 'last-event-id': '*' },
  { 'last-event-id': '\xff\xfe' },
  { 'if-none-match': '"'.repeat(5000) },
  { 'if-none-match': 'W/"x", *' },
  { 'x-forwarded-for': `${'1.1.1.1, '.repeat(500)}x` },
  { 'x-forwarded-for': '\xff', 'x-real-ip': '::' },
  { cookie: `next-auth.session-token.0=${'x'.repeat(5000)}; next-auth.callback-url=%zz; =; ;;` },
  { 'content-length': '99999999999999999999' },
  { 'content-type': 'application/json; charset=utf-16' },
  { accept: 'text/html', range: 'bytes=0-0', 'if-match': '*' },
];

const BODIES: [what: string, body: string | Uint8Array, type?: string][] = [
  ['an empty body', ''],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  [
    'half a surrogate in UTF-8',
    Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
  ],
  ['half a document', '{"reason":"x'],
  ['null', 'null'],
  ['a list', '[1,2]'],
  ['a string', `"${PLANTED}"`],
  ['20 000 brackets', '['.repeat(20_000)],
  ['20 000 objects in one another', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ['60 KiB of empty objects', `{"a":[${'{},'.repeat(20_000)}{}]}`],
  ['2 MiB', `{"reason":"${'x'.repeat(2 ** 21)}"}`],
  ['a form', 'reason=x&confirm=main', 'application/x-www-form-urlencoded'],
  ['XML', '<?xml version="1.0"?><a/>', 'application/xml'],
  ['parts', '--x\r\n\r\n{}\r\n--x--', 'multipart/form-data; boundary=x'],
  ['JSON called text', '{}', 'text/plain'],
];

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  '',
  'nonsense',
  PLANTED.toLowerCase().slice(0, 2),
  'x'.repeat(65_536),
  '\ud800',
  'a.b[0]',
];

const QUERIES = [
  'limit=1&limit=2',
  'cursor=a&cursor=b',
  '__proto__=1',
  'constructor=1&toString=2',
  'a=%zz&b=%',
  'a=%ff%fe',
  '%00=%00',
  'limit[]=1&limit[a]=2',
  `q=${'x'.repeat(65_536)}`,
  `reason=${PLANTED}`,
  '&&==&=',
  Array.from({ length: 2000 }, (_, i) => `f${i}=1`).join('&'),
];

const CONNECTIONS = [
  '__proto__',
  'constructor',
  '',
  '..',
  '\0',
  'main\0',
  'MAIN',
  'x'.repeat(65_536),
  PLANTED,
];

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 160 ? `${text.slice(0, 160)}… (${text.length})` : text;
};

interface Sent {
  input: Json;
  query?: string;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  connection?: string;
}

/** As Next would hand it over; what cannot stand in an address is replaced as a browser does. */
const requestOf = (contract: Contract, what: string, sent: Sent): HostileRequest => {
  const names = pathParameters(contract.path);
  const inPath = names.map((name) => [name, textOf(sent.input[name] ?? 'x').toWellFormed()]);
  const rest = Object.entries(sent.input).filter(([name]) => !names.includes(name));
  const isGet = contract.method === 'GET';
  const fields = isGet ? rest.map(([name, value]): [string, string] => [name, textOf(value)]) : [];
  const query = sent.query ?? new URLSearchParams(fields).toString();
  const body = sent.body ?? (isGet ? undefined : JSON.stringify(Object.fromEntries(rest)));
  return {
    what,
    request: new Request(`${ORIGIN}/api/v1/hostile${query ? `?${query}` : ''}`, {
      // The handler goes by its contract: so a GET can carry a body here as it can over HTTP.
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        host: new URL(ORIGIN).host,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(body === undefined ? {} : { body: body as BodyInit }),
    }),
    params: { connection: sent.connection ?? CONNECTION, ...Object.fromEntries(inPath) },
  };
};

export interface Attack {
  contract: Contract;
  /** What the operation accepts, as a ground to stand on. */
  least: Json;
  /** Cursors that lists gave. */
  cursors: readonly string[];
  count: number;
  random: Random;
}

/** What is hostile as a whole, whatever the operation takes. */
const wholeRequests = ({ contract, least, random }: Attack): (() => HostileRequest)[] => {
  const send = (what: string, sent: Omit<Sent, 'input'>, input = least) =>
    requestOf(contract, what, { input, ...sent });
  return [
    () => {
      const [what, body, type] = random.pick(BODIES);
      return send(what, { body, ...(type ? { headers: { 'content-type': type } } : {}) });
    },
    () => {
      const query = random.pick(QUERIES);
      return send(`?${query.slice(0, 80)}`, { query });
    },
    () => {
      const headers = random.pick(HEADERS);
      return send(`headers ${shown(headers)}`, { headers });
    },
    () => {
      const name = random.pick(NAMES);
      const field = { value: random.pick(VALUES), enumerable: true };
      // Defined, so that __proto__ becomes a field of its own.
      return send(`an unknown field ${shown(name)}`, {}, Object.defineProperty({ ...least }, name, field));
    },
    () => {
      const connection = random.pick(CONNECTIONS);
      return send(`connection ${shown(connection)}`, { connection });
    },
  ];
};

const WHOLE = 15;

/**
 * `count` hostile requests for any operation, without credentials: whole ones first, then by its contract in each place
 * the worst there is for it, then whatever the random numbers say.
 */
export const hostileRequests = (attack: Attack): HostileRequest[] => {
  const { contract, least, cursors, count, random } = attack;
  const schema = z.toJSONSchema(contract.input, { io: 'input', unrepresentable: 'any' }) as Schema;
  const places = placesIn(schema);
  const bare = exampleOf(schema) as Json;
  const whole = wholeRequests(attack);
  const inPlace = (place: Place, value: unknown): HostileRequest => {
    const base = random.next() < 0.6 ? { ...bare, ...least } : bare;
    const input = withValue(base, place.path, value) as Json;
    return requestOf(contract, `${place.path.join('.')} = ${shown(value)}`, { input });
  };
  const worst = places.flatMap((place) =>
    poolFor(place, cursors)
      .slice(0, 2)
      .map((value) => ({ place, value })),
  );
  return Array.from({ length: count }, (_, i) => {
    if (places.length === 0 || i < WHOLE) return whole[i % whole.length]!();
    const next = worst[i - WHOLE];
    if (next && i < count - WHOLE) return inPlace(next.place, next.value);
    const place = random.pick(places);
    return inPlace(place, hostileValue(place, attack));
  });
};
