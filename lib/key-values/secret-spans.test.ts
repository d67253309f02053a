import { describe, expect, it } from 'vitest';
import { isDescribedSecret, isSecretName } from '@/lib/keyspace/secret-name';
import { findSpans, findSpansInside } from './secret-spans';
import { replaceSpans } from './show-bytes';

const RUN = 'Zq7pXv2mLr9tKw1Zq7pXv2mLr9t';
const masked = (text: string, strict = true, isSecretField = isSecretName): string => {
  const bytes = Buffer.from(text);
  return replaceSpans(bytes, findSpans(bytes.toString('latin1'), { strict, isSecretField })).toString();
};

describe('what is masked', () => {
  it.each([
    ['{"password":"x","n":1}', '{"password":"•••","n":1}'],
    ['{"password" : 12.5 , "ключ":"знач"}', '{"password" : "•••" , "ключ":"знач"}'],
    ['{"token":{"a":[1,"}"]},"b":"c"}', '{"token":"•••","b":"c"}'],
    ['{"token":null,"ok":true}', '{"token":null,"ok":true}'],
    ['[{"secret":["a","b"]},{"c":"d"}]', '[{"secret":"•••"},{"c":"d"}]'],
    ['{"pass\\u0077ord":"x"}', '{"pass\\u0077ord":"•••"}'],
    ['{"password":"a \\" b","c":1}', '{"password":"•••","c":1}'],
    ["{'api_key': 'x', 'note': 'it is'}", "{'api_key': '•••', 'note': 'it is'}"],
    ["It's his; isn't that right?", "It's his; isn't that right?"],
    [`{"a":"${RUN}"}`, '{"a":"•••"}'],
    [`{"a":"see ${RUN}, then"}`, '{"a":"see •••, then"}'],
    ['{"url":"https://u:pw@host/x"}', '{"url":"•••"}'],
    ['host: h\npassword: x y\nDB_PASS=z', 'host: h\npassword: •••\nDB_PASS=•••'],
    ['{"password":"cut of', '{"password":"•••'],
    ['{"inner":"{\\"token\\":\\"x\\"}","b":"c"}', '{"inner":"•••","b":"c"}'],
    ['{"line":"one\\ntwo"}', '{"line":"one\\ntwo"}'],
    ['DB_PASSWORD="a b"\nuser = "x"', 'DB_PASSWORD="•••"\nuser = "x"'],
    ['password = \'a b\'\nuser: "x"', 'password = \'•••\'\nuser: "x"'],
    ['password = "x";', 'password = "•••";'],
    ['{:password => "x", :user=>"y"}', '{:password => "•••", :user=>"y"}'],
    ['<a password="x"><token>y z</token><b>c</b></a>', '<a password="•••"><token>•••</token><b>c</b></a>'],
    ['a:2:{s:8:"password";s:3:"a"b";s:1:"u";s:1:"v";}', 'a:2:{s:8:"password";s:3:"•••";s:1:"u";s:1:"v";}'],
    ['a:1:{s:5:"token";i:7;s:1:"a";a:0:{}}', 'a:1:{s:5:"token";i:•••;s:1:"a";a:0:{}}'],
    ['a:1:{s:6:"secret";a:1:{s:1:"a";s:1:"b";}}', 'a:1:{s:6:"secret";a:•••'],
  ])('%s', (text, expected) => {
    expect(masked(text)).toBe(expected);
  });

  it('is found in a part of a value, whether it begins inside a string or not', () => {
    for (const [part, secret] of [
      ['ue","password":"pony","b":1', 'pony'],
      ["ue', 'password': 'pony', 'b': 1", 'pony'],
      ['{"a":1,"password":"pony"', 'pony'],
      [`some words ${RUN} in a string","n":1`, RUN],
    ] as const) {
      const bytes = Buffer.from(part);
      const spans = findSpansInside(part, { strict: true, isSecretField: isSecretName });
      expect(replaceSpans(bytes, spans).toString()).not.toContain(secret);
    }
  });

  it('is less where the catalog knows the family', () => {
    const known = (text: string) => masked(text, false, isDescribedSecret);
    expect(known(`{"id":"${RUN}","token_type":"x","access_token":"y"}`)).toBe(
      `{"id":"${RUN}","token_type":"x","access_token":"•••"}`,
    );
    const pem = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----';
    expect(known(`a\n${pem}\nb ${pem.slice(0, 35)}`)).toBe('a\n•••\nb •••');
    expect(known('{"a":"eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyIjo0Mn0.Zq7p"}')).toBe('{"a":"•••"}');
  });
});

it('takes linear time and no stack, whatever the text', { tags: 'long' }, () => {
  const size = 128 * 1024;
  const hostile = [
    '"',
    "'",
    '\\',
    '{',
    '[',
    '"a":',
    '{"token":',
    "{'token':{",
    'a://',
    ',',
    'a',
    'a ',
    "' ",
    '":"',
    '\\"',
  ];
  const formats = ['"a";', '"token";s:9:"', '"token";a:', '<token>', '<token ', 'x="a"', '-----BEGIN A-----'];
  for (const part of [
    ...hostile,
    ...formats,
    '{"a":"\\"',
    'token=',
    'password: ',
    'eyJ',
    '\n',
    ' ',
    'a%zz',
    '%41',
    '%',
    'eyJh ',
  ]) {
    const text = part.repeat(Math.ceil(size / part.length));
    const started = performance.now();
    findSpans(text, { strict: true, isSecretField: isSecretName });
    expect([part, performance.now() - started < 3000]).toEqual([part, true]);
  }
});
