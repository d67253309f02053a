/** Hostile values, by the kind of place they are put into. */

/** Looks like a secret, and must not appear in a refusal. */
export const PLANTED = 'kw_PLANTEDplantedPLANTEDplantedPLANTEDplanted123';
const PLANTED_JWT = `eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoiMSJ9.${PLANTED.slice(3)}`;
export const PLANTED_PART = PLANTED.slice(3, 27);

const base64url = (text: string): string => Buffer.from(text, 'latin1').toString('base64url');
const nested = (depth: number, inner: unknown): unknown => {
  let value = inner;
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value };
  return value;
};

export const SECRETS = [PLANTED, PLANTED_JWT, `session:1:${PLANTED_JWT}`, `FEATURE_${PLANTED}`];
const words = (text: string): string[] => text.trim().split(/ +|\n */);

/** Values that once broke something come first: the first two of each kind are tried in every matching place. */
export const TIMES = words(`
  0000-01-01T00:00:00Z 9999-12-31T23:59:59.999Z +275760-09-13T00:00:00Z +275760-09-13 0000-00-00 0000-00-00T00:00:00Z
  1970-01-01T00:00:00Z -271821-04-20T00:00:00Z 2026-02-30T00:00:00Z 2026-01-01T24:00:00Z 2026-12-31T23:59:60Z
  2026-01-01T00:00:00.0000000000000001Z 2026-01-01 now`);
export const CURSORS = [
  ...words('0-0 18446744073709551616 0 -1 18446744073709551615 9999999999999-1 99999999999999999999 null'),
  ...['{}', '[]', 'null', '{"cursor":"0"}', '["0",[],null]', '\xff', '[1e400]', '[null]'].map(base64url),
  'x'.repeat(1999),
];
export const NUMBERS = words(`
  1e308 9007199254740993 NaN Infinity -Infinity -1e308 1e400 -0 1e-320 0x10 １２３ ٣ -1 0 0.5 1.0000000000000001
  2147483648 4294967296 18446744073709551616 1_000`);
export const ADDRESSES = words(`
  ::%\0 0x7f.1 999.999.999.999 ::ffff:1.2.3.4 1.2.3.4/0 fe80::1%eth0 :: 1.2.3.4:80 0177.0.0.1 ２.2.2.2
  64:ff9b::10.0.0.1 [::1] 127.1 4294967295 ${':'.repeat(64)}`);
export const IDS = [
  ...['\xff\xfe\x00', 'x'.repeat(9000), 'env_vars:X', 'keyward:audit'].map(base64url),
  ...words(`A ==== _-_- AA== ${'-'.repeat(36)} ${'0'.repeat(24)} : 1:x 1.eA -1 01 ${'1'.repeat(40)}`),
  ...words(
    '00000000-0000-0000-0000-000000000000 FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF aaaaaaaaaaaaaaaaaaaaaaaa',
  ),
];
export const GLOBS = [
  ...words(
    String.raw`[ \ * ** ? [a- [^] *\ [z-a]* (a+)+$ ^(([a-z])+.)+[A-Z]([a-z])+$ *:*:*:*:*:*:* author:id:[0-9]*`,
  ),
  '*a'.repeat(60),
  '*a'.repeat(240),
  '?'.repeat(500),
  `${'a'.repeat(200)}!`,
  'session:*\0*',
];
export const STRINGS = [
  ...words(`
    __proto__ constructor toString hasOwnProperty null undefined true ../../etc/passwd %2e%2e%2f %00 %zz / . .. a/b
    <script> =1+1 ＝1+1 " ﷽ FEATURE_\0 FEATURE_\ud800 FEATURE_* FEATURE_Ж \ud800 x\udfff a\0b \0 \x7f\x1b[2J`),
  '',
  ' ',
  ' FEATURE_A',
  'FEATURE_A\r\nB',
  'a\r\nSet-Cookie: x=1',
  '\u202eevil',
  'a\u200bb',
  '\u2028',
  'x'.repeat(65_536),
  '💥'.repeat(16_384),
  '\\'.repeat(500),
  `FEATURE_${'X'.repeat(600)}`,
];
const FIELDS = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`field${i}`, i]));
export const VALUES: unknown[] = [
  null,
  true,
  [],
  {},
  0,
  -1,
  0.5,
  1e308,
  -1e308,
  2 ** 53 + 1,
  1e-320,
  2147483648,
  '1e400',
  '-0',
  nested(12, 1),
  nested(400, 'x'),
  Array(10_000).fill('x'),
  Array(10_000).fill({}),
  [[[]]],
  [null],
  [''],
  JSON.parse('{"__proto__":{"a":1}}'),
  { constructor: { prototype: {} } },
  { length: 1e9 },
  FIELDS,
  { toString: 1 },
  { $ne: '' },
  { '': '' },
  { [PLANTED]: PLANTED },
];

/** Header values have no NUL and no line ends; any other single byte is allowed. */
export const HEADERS: Record<string, string>[] = [
  ...words(`
    ${'9'.repeat(400)} +275760-09-13T00:00:00.000Z -1 99999999999999999999-99999999999999999999 9007199254740993-0
    1e308 * \xff\xfe`).map((id) => ({ 'last-event-id': id })),
  { 'if-none-match': '"'.repeat(5000) },
  { 'if-none-match': 'W/"x", *' },
  { 'x-forwarded-for': `${'1.1.1.1, '.repeat(500)}x` },
  { 'x-forwarded-for': '\xff', 'x-real-ip': '::' },
  { cookie: `next-auth.session-token.0=${'x'.repeat(5000)}; next-auth.callback-url=%zz; =; ;;` },
  { 'content-length': '99999999999999999999' },
  { 'content-type': 'application/json; charset=utf-16' },
  { accept: 'text/html', range: 'bytes=0-0', 'if-match': '*' },
];

export const BODIES: [what: string, body: string | Uint8Array, type?: string][] = [
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

export const NAMES = [
  ...words('__proto__ constructor toString nonsense \ud800 a.b[0]'),
  '',
  'x'.repeat(65_536),
];

export const QUERIES = [
  ...words(
    'limit=1&limit=2 cursor=a&cursor=b __proto__=1 constructor=1&toString=2 a=%zz&b=% a=%ff%fe %00=%00',
  ),
  'limit[]=1&limit[a]=2',
  '&&==&=',
  `q=${'x'.repeat(65_536)}`,
  `reason=${PLANTED}`,
  new URLSearchParams(FIELDS as never).toString(),
];

export const CONNECTIONS = [
  ...words('__proto__ constructor .. \0 main\0 MAIN'),
  '',
  'x'.repeat(65_536),
  PLANTED,
];
