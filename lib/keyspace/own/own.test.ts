import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { cpuMs } from '@/scripts/testing/cpu-time';
import { catalogFor } from '../apps-of';
import { displayKey } from '../display';
import { ROLE_RULES, type RoleRule } from '../roles';
import { catalogSchema } from './definition';
import { loadCatalogs, ownCatalogs, recheckCatalogs } from './load';
import { problemText } from './problems';
import { readCatalogText } from './read';
import { checkTogether } from './together';

const SHOP = join(import.meta.dirname, '../../../scripts/testing/catalogs/shop.yaml');

const folder = mkdtempSync(join(tmpdir(), 'keyward-catalogs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const warn = vi.spyOn(console, 'warn');
beforeEach(() => void warn.mockReset().mockImplementation(() => undefined));
afterEach(() => void warn.mockReset());

/** The problems of texts that one connection has, as `f0:line:column path: found …, expected …`. */
const problemsOf = (...texts: string[]): string[] => {
  const files = texts.map((text, i) => readCatalogText(`f${i}`, text));
  checkTogether(files);
  return files.flatMap(({ text }) => text.problems.map(problemText));
};

/** A file with these families, one a line from line 3. */
const withFamilies = (...families: string[]): string =>
  `app: shop\nfamilies:\n${families.map((family) => `  - { ${family} }\n`).join('')}`;
const STRING = 'type: string';

it('reads the complete file of the documentation', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/catalogs.md'), 'utf8');
  const [, example] = /## Your own catalog[\s\S]*?```yaml\n([\s\S]*?)```/u.exec(text) ?? [];
  expect(problemsOf(example!)).toEqual([]);
  const { families, entities } = readCatalogText('catalogs.md', example!);
  expect([families.length, entities.map(({ entity }) => entity.kind)]).toEqual([4, ['product']]);
});

it('has a row of the documentation for each role, with its types and parts', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/catalogs.md'), 'utf8');
  const rows = new Map(
    [...text.matchAll(/^\| `([a-z-]+)` \| ([^|]*) \| ([^|]*) \|/gmu)].map(([, ...row]) => [
      row[0],
      row.slice(1),
    ]),
  );
  const wanted = Object.entries(ROLE_RULES).map(([role, rule]: [string, RoleRule]) => {
    const parts = Object.entries(rule.parts).map(([name, { optional }]) => (optional ? `${name}?` : name));
    return [role, [rule.types.join(', '), parts.join(', ') || '–']];
  });
  expect([...rows]).toEqual(wanted);
  const listed = (introduction: string) => {
    const [, names] = new RegExp(`^- ${introduction}: ([^.]*)\\.`, 'mu').exec(text) ?? [];
    return [...names!.matchAll(/`([a-z-]+)`/gu)].map(([, role]) => role);
  };
  const rolesWith = (field: 'single' | 'guarded') =>
    Object.entries(ROLE_RULES).flatMap(([role, rule]: [string, RoleRule]) => (rule[field] ? role : []));
  expect(listed('Several families may have these')).toEqual(
    Object.keys(ROLE_RULES).filter((role) => !rolesWith('single').includes(role)),
  );
  expect(listed('Only administrators may invalidate these')).toEqual(rolesWith('guarded'));
});

it('reads a test application of ten lines, with its secrets masked', () => {
  const [shop] = ownCatalogs([SHOP]);
  expect(shop).toMatchObject({ app: 'shop', title: 'Shop', inForce: true, problems: [] });
  const registry = catalogFor(['discours', 'hawk'], undefined, [shop!]);
  expect(registry.entity('product')).toMatchObject({
    app: 'shop',
    title: 'Product',
    record: { keys: [{ family: 'shop.product', params: { id: 'id' } }], title: ['name'], idField: 'id' },
    relations: [{ id: 'replaces', title: 'Replaces', kind: 'product', from: { field: 'replaces' } }],
  });
  const session = registry.role('session')!;
  expect(session).toMatchObject({ id: 'shop.session', title: 'Session', sensitive: ['id'], guarded: true });
  expect(session.ttl).toEqual({ seconds: 86_400 });
  const index = registry.role('session-index');
  expect(index).toMatchObject({ id: 'shop.user-sessions', sensitiveValue: true, ttl: 'any' });
  expect(registry.shadowed.map(({ family }) => family.id)).toEqual([
    'discours.session',
    'discours.user-sessions',
  ]);
  expect(registry.classify(Buffer.from('product:12'))).toMatchObject({ params: { id: '12' } });
  expect(displayKey(Buffer.from('sess:abc'), registry)).toBe('sess:•••');
  expect(catalogFor(['hawk', 'discours'], undefined, ownCatalogs([SHOP]))).toBe(registry);
});

it('gives an own family the keys that a known application has by an equally literal pattern', () => {
  const file = join(folder, 'equal.yaml');
  writeFileSync(file, withFamilies(`id: z-session, pattern: 'session:{user}:{token}', ${STRING}`));
  const key = Buffer.from('session:1:eyJh.eyJi.c');
  expect(catalogFor(['discours']).locate(key).family?.id).toBe('discours.session');
  expect(catalogFor(['discours'], undefined, ownCatalogs([file])).locate(key).family?.id).toBe(
    'shop.z-session',
  );
});

describe('a family that yields', () => {
  const USER = `id: user, pattern: '{id}', params: { id: { chars: '0123456789', max: 10 } }, type: hash`;
  const token = (rest: string) =>
    `id: a-token, pattern: '{token}', params: { token: { except: ":/", min: 2 } }, type: hash, identifyingFields: [name]${rest}`;

  it('gets only the keys that equally literal patterns leave', () => {
    const file = join(folder, 'fallback.yaml');
    writeFileSync(file, withFamilies(USER, token(', fallback: true')));
    const registry = catalogFor([], undefined, ownCatalogs([file]));
    const keys = ['17', '12345678901', 'toni12', 'x', 'a/b'];
    expect(keys.map((key) => registry.classify(Buffer.from(key)).family?.id)).toEqual([
      'shop.user',
      'shop.a-token',
      'shop.a-token',
      undefined,
      undefined,
    ]);
  });

  it('has to say so', () => {
    expect(problemsOf(withFamilies(USER, token('')))).toEqual([
      expect.stringMatching(
        /^f0:4:29 families\[1\]\.pattern: .* more literal than that of shop\.user, a fallback/,
      ),
    ]);
    expect(problemsOf(withFamilies(USER, token(', fallback: yes')))).toEqual([
      expect.stringMatching(/^f0:4:\d+ families\[1\]\.fallback: found "yes", expected true or false/),
    ]);
  });
});

it('shows a parameter that is a key by the rules of that key, before all other families', () => {
  const marker = (innerKey: string) =>
    `id: gone, pattern: '{key}:gone', params: { key: text }, ${STRING}, ${innerKey}`;
  const file = join(folder, 'marker.yaml');
  writeFileSync(
    file,
    withFamilies(marker('innerKey: key'), `id: open, pattern: 'open:{id}:gone', ${STRING}`),
  );
  const registry = catalogFor(['discours'], undefined, ownCatalogs([file]));
  expect(registry.classify(Buffer.from('open:1:gone')).family?.id).toBe('shop.gone');
  expect(displayKey(Buffer.from('oauth_state:a1b2c3d4e5f6:gone'), registry)).toBe('oauth_state:•••:gone');
  expect(problemsOf(withFamilies(marker('innerKey: name')))).toEqual([
    expect.stringMatching(
      /^f0:3:87 families\[0\]\.innerKey: found \{name\}, expected a parameter of the pattern/,
    ),
  ]);
});

it('knows other names of a field, and the names that variables should have', () => {
  const token = (or: string) =>
    `id: t, pattern: 't:{t}', ${STRING}, role: verification-token, parts: { token: { param: t }, userId: { field: user, or: ${or} } }`;
  const variable = (role: string) =>
    `id: v, pattern: 'v:{name}', ${STRING}, ${role}, expectedNames: [DB_URL]`;
  const named = 'role: variable, parts: { name: { param: name } }';
  const text = withFamilies(token('[owner, id]'), variable(named));
  expect(problemsOf(text)).toEqual([]);
  const [first, second] = readCatalogText('shop.yaml', text).families.map(({ family }) => family);
  expect(first!.part('userId')).toEqual({ field: 'user', or: ['owner', 'id'] });
  expect(second!.expectedNames).toEqual(['DB_URL']);
  expect(problemsOf(withFamilies(token('owner'), variable('role: cache')))).toEqual([
    expect.stringMatching(/^f0:3:110 families\[0\]\.parts\.userId: /),
    expect.stringMatching(/families\[1\]\.expectedNames: found expected names, expected the role variable/),
  ]);
});

it('takes two grammars with one syntax as one: the parts of a pair without an order', () => {
  const chat = (second: string) =>
    `${withFamilies(`id: chat, pattern: 'chat:{a}:{b}', type: list, role: conversation`)}entities:
  - { kind: chat, pair: { names: [a, b], separator: ':', unordered: true, grammars: [{ except: ":" }, ${second}] },
      conversation: { keys: [{ family: chat, params: { a: a, b: b } }], text: [content] } }
`;
  expect(problemsOf(chat('{ except: ":" }'))).toEqual([]);
  expect(problemsOf(chat('{ except: ":-" }'))).toEqual([expect.stringMatching(/one grammar/)]);
});

it('says of a grammar what people call it', () => {
  const descriptionOf = (grammar: string) =>
    readCatalogText('', withFamilies(`id: a, pattern: 'a:{x}', params: { x: ${grammar} }, ${STRING}`))
      .families[0]!.family.params.x!.description;
  const described = [
    ["{ chars: '0123456789', max: 10 }", 'at most 10 decimal digits'],
    ["{ chars: '0123456789abcdefABCDEF', min: 24, max: 24 }", '24 hexadecimal digits'],
    ['{ chars: abc, min: 2, max: 4 }', '2 to 4 characters of abc'],
    ['{ except: ":\\t" }', 'any text without ":", some control characters'],
    ['pairs', 'name=value pairs joined by ":"'],
  ];
  expect(described.map(([grammar]) => [grammar, descriptionOf(grammar!)])).toEqual(described);
  expect(
    problemsOf(withFamilies(`id: a, pattern: 'a:{x}', params: { x: { except: é } }, ${STRING}`)),
  ).toEqual([
    expect.stringMatching(
      /^f0:3:55 families\[0\]\.params\.x\.except: found "é", expected 1 to 128 characters in ASCII/,
    ),
  ]);
});

describe('problems', () => {
  it('are all named at once, with line, column and what is expected', () => {
    const problems = problemsOf(
      withFamilies(
        `id: Cart, pattern: 'cart:{id}', ${STRING}`,
        `id: a, pattern: 'cfg_{env}_{name}', params: { env: segment, name: segment }, ${STRING}`,
        `id: c, pattern: 'c:{x}', params: { x: { oneOf: [a] }, y: foo }, type: hash, ttl: 1y, extra: 1`,
        `id: d, pattern: 'd:{x}', type: set, role: session, parts: { token: { member: text }, foo: { param: x } }`,
        `id: e, pattern: 'e:{x', ${STRING}, ttl: { min: 2h, max: 5m }`,
        `id: f, pattern: 'keyward:{x}', ${STRING}`,
        `id: f, pattern: '{x}', ${STRING}`,
        `id: g, pattern: 'g:{x}', params: { y: word }, ${STRING}, sensitive: [z], related: [{ family: nope, params: {} }]`,
      ),
    );
    const places = problems.map((text) => text.split(': found')[0]);
    expect(places).toEqual([
      'f0:3:11 families[0].id',
      'f0:4:23 families[1].pattern',
      'f0:5:64 families[2].params.y',
      'f0:5:88 families[2].ttl',
      'f0:5:92 families[2]',
      'f0:6:38 families[3].type',
      'f0:6:65 families[3].parts',
      'f0:6:74 families[3].parts.token',
      'f0:6:97 families[3].parts.foo',
      'f0:7:23 families[4].pattern',
      'f0:8:23 families[5].pattern',
      'f0:9:11 families[6].id',
      'f0:9:23 families[6].pattern',
      'f0:10:45 families[7].params.y',
      'f0:10:79 families[7].sensitive[0]',
    ]);
    expect(problems[3]).toContain(
      'found "1y", expected a duration such as 30d, 12h or 5m (or whole seconds), { min, max }, persistent',
    );
    expect(problems[4]).toContain('found the key "extra", expected one of id, pattern,');
  });

  it.each([
    ['a tab', 'app: a\n\tb: 1', /:2:1: .*tab.*expected spaces/],
    ['a missing brace', 'families:\n  - { id: a, type: set\n  - { id: b }', /:3:\d+: .*a closing } or ]/],
    ['a missing bracket', 'a: [b\nfamilies:\n  - id: c', /:2:\d+: .*a closing } or ]/],
    [
      'too little indent',
      'families:\n  - id: a\n   type: set',
      /:3:\d+: .*the indent of the lines around it/,
    ],
    ['too much indent', 'a: b\n  c: d', /:1:\d+: .*with the indent of those beside it/],
    ['a pattern without quotes', 'pattern: {id}:cart', /:1:\d+: .*quotes around patterns/],
  ])('of YAML are one, with what to do: %s', (_what, source, expected) => {
    const problems = problemsOf(source);
    expect(problems).toEqual([expect.stringMatching(expected)]);
  });

  it('include durations, keys and beginnings out of bounds, and a token that another part would show', {
    tags: ['long'],
  }, () => {
    const session = `role: session, parts: { token: { param: x }, userId: { param: x } }`;
    const places = (text: string) => problemsOf(text).map((each) => each.replace(/: found .* expected/u, ''));
    expect(
      places(
        withFamilies(
          `id: a, pattern: 'a:{x}', ${STRING}, ttl: 0`,
          `id: b, pattern: 'b:{x}', ${STRING}, ttl: 9999999999w`,
          `id: c, pattern: 'c:{x}', ${STRING}, ${session}`,
        ),
      ),
    ).toEqual([
      'f0:3:51 families[0].ttl a duration of one second to a hundred years',
      'f0:4:51 families[1].ttl a duration of one second to a hundred years',
      'f0:5:108 families[2].parts.userId.param another one: it is the token, which no page shows',
    ]);
    expect(places(withFamilies(`id: a, pattern: 'a:{x}', ${STRING}, params: { __proto__: word }`))).toEqual([
      'f0:3:56 another name',
    ]);
    const related = `related: [{ family: csrf, params: { id: id } }]`;
    const csrf = `id: csrf, pattern: 'csrf:{id}', ${STRING}`;
    const leak = withFamilies(`id: a, pattern: 'a:{id}', ${STRING}, sensitive: [id], ${related}`, csrf);
    expect(places(leak)).toEqual([
      'f0:3:104 families[0].related[0].params.id a parameter that is sensitive in shop.csrf too',
    ]);
    expect(places(leak.replace(csrf, `${csrf}, sensitive: [id]`))).toEqual([]);
    expect(places(withFamilies('id: a, pattern: sess:{id}, type: string'))[0]).toContain(
      'with quotes around',
    );
    const long = Array.from(
      { length: 1000 },
      (_, i) => `id: f${i}, pattern: '${i}${'abcdefghijklmnopqrstuvwxyz'.repeat(15)}{x}', ${STRING}`,
    );
    const [first, ...others] = places(withFamilies(...long));
    expect(first).toMatch(/^f0:\d+:\d+ families\[\d+\].pattern less: fewer patterns/u);
    expect(others).toEqual([]);
  });

  it('include contradictions within a file and between files', () => {
    const session = (id: string) =>
      `id: ${id}, pattern: '${id}:{id}', ${STRING}, role: session, parts: { token: { param: id }, userId: { field: u } }`;
    const found = problemsOf(
      withFamilies(
        session('s'),
        `id: user, pattern: 'user:{id}', params: { id: digits }, ${STRING}`,
        `id: name, pattern: 'user:{name}', ${STRING}`,
        `id: rel, pattern: 'r:{id}', ${STRING}, related: [{ family: user, params: { no: id } }, { family: discours.author-id, params: { id: id } }, { family: nope.x, params: {} }], members: { family: user, param: z }`,
        `id: ex, pattern: 'ex:{id}', ${STRING}, examples: ['ex:1', 'other:Zm9vYmFyQmF6cXV4MTIzNDU2Nzg5']`,
      ),
      withFamilies(session('t')),
      withFamilies(`id: x, pattern: 'x', ${STRING}`).replace('app: shop', 'app: hawk'),
    );
    expect(found.map((text) => text.replace(/^(\S+) (\S+?:) .*/u, '$1 $2'))).toEqual([
      'f0:5:26 families[2].pattern:',
      'f0:6:83 families[3].related[0].params:',
      'f0:6:159 families[3].related[2].family:',
      'f0:6:214 families[3].members.param:',
      'f0:7:68 families[4].examples[1]:',
      'f1:1:6 app:',
      'f1:3:53 families[0].role:',
      'f2:1:6 app:',
    ]);
    expect(found[0]).toContain('shares no key with it: both match keys such as "user:1"');
    expect(found[4]).toContain('found "other:•••", expected a key of ex:{id}');
  });

  it('name a mistake once, not again where its family is named', () => {
    const found = problemsOf(
      withFamilies(
        `id: post, pattern: 'post:{id}', type: strin`,
        `id: hot, pattern: 'hot:{id}', type: zset, members: { family: post, param: id }`,
      ),
    );
    expect(found).toEqual([expect.stringContaining('families[0].type: found "strin"')]);
  });

  it.each([
    [`id: a, pattern: 'a:{x}', ${STRING}, params: { x: { oneOf: [] } }`, 'expected at least one value'],
    [`id: f, pattern: FLAG_X, ${STRING}, role: flag`, 'expected a pattern with one parameter in braces'],
    [
      `id: a, pattern: 'a:{x}', ${STRING}, examples: ['']`,
      'found "", expected a key as the application writes it',
    ],
  ])('are in words for who writes the file: %s', (family, expected) => {
    expect(problemsOf(withFamilies(family)).join()).toContain(expected);
  });

  it('name what a branch may have instead', () => {
    const entities = `entities:\n  - { kind: p, branches: [{ family: a, prefix: 'p:' }] }\n`;
    expect(problemsOf(withFamilies(`id: a, pattern: 'a:{x}', ${STRING}`) + entities).join()).toContain(
      'found the key "prefix", expected one of id, title, family, params',
    );
  });

  it('include entities that name what does not exist, or whose lookups depend on themselves', () => {
    const families = withFamilies(
      `id: product, pattern: 'product:{id}', params: { id: digits }, ${STRING}, role: cache`,
    );
    const entity = (facts: string, branches: string) =>
      `${families}entities:\n  - kind: product\n    facts: { ${facts} }\n    branches: [${branches}]\n`;
    const lookup = (fact: string) => `lookup: { family: product, params: { id: ${fact} }, field: f }`;
    const good = '{ family: product, params: { id: id } }, { id: lists, prefix: "products:" }';
    expect(problemsOf(entity(`a: { ${lookup('id')} }`, good))).toEqual([]);
    const [cycle, ...more] = problemsOf(entity(`a: { ${lookup('b')} }, b: { ${lookup('a')} }`, good));
    expect(cycle).toMatch(/^f0:6:12 entities\[0\]\.facts: .*read from b, which is not known there/);
    expect(more).toEqual([]);
    expect(
      problemsOf(
        entity(
          '',
          '{ family: nope }, { family: product, params: { no: id } }, { id: x, prefix: "keyward:" }',
        ),
      ),
    ).toEqual([
      expect.stringMatching(/^f0:7:16 entities\[0\]\.branches\[0\]: .*there is no family shop\.nope/),
      expect.stringMatching(/branches\[1\]: .*shop\.product has no parameter \{no\}/),
      expect.stringMatching(/branches\[2\]: .*the console's own keys/),
    ]);
  });

  it('include what an entity says of its record, relations and conversation, each at its place', () => {
    const families = withFamilies(
      `id: user, pattern: 'user:{id}', type: hash, sensitiveFields: [password], fields: [name]`,
      `id: follows, pattern: 'follows:{id}', type: set`,
      `id: chat, pattern: 'chat:{from}:{to}', type: list, role: conversation`,
    );
    const withEntities = (user: string, chat = CHAT) => `${families}entities:\n${user}\n${chat}\n`;
    const user = (relations: string, title = 'name') =>
      `  - { kind: user, id: word, record: { keys: [{ family: user, params: { id: id } }], title: [${title}] },
      relations: [${relations}] }`;
    const CHAT = `  - { kind: chat, pair: { names: [first, second], separator: ':', unordered: true, grammars: [word, word] },
      relations: [{ id: people, kind: user, from: { parts: [first, second] } }],
      conversation: { keys: [{ family: chat, params: { from: first, to: second }, sender: first }], text: [time, content], members: people } }`;
    const follows = 'from: { members: [{ family: follows, params: { id: id } }] }';
    const good = `{ id: follows, kind: user, ${follows}, inverse: follows, countField: n },
      { id: chats, kind: chat, from: { keys: [{ family: chat, params: { from: id }, names: { from: first, to: second } }] } }`;
    const text = withEntities(user(good));
    expect(problemsOf(text)).toEqual([]);
    const { entities } = readCatalogText('shop.yaml', text);
    expect(entities.map(({ entity }) => entity)).toMatchObject([
      {
        record: { keys: [{ family: 'shop.user', params: { id: 'id' } }], title: ['name'] },
        relations: [
          {
            id: 'follows',
            title: 'Follows',
            kind: 'user',
            inverse: 'follows',
            countField: 'n',
            from: { members: [{ family: 'shop.follows', params: { id: 'id' } }] },
          },
          { id: 'chats', from: { keys: [{ family: 'shop.chat', names: { from: 'first' } }] } },
        ],
        branches: [],
      },
      { pair: { unordered: true }, conversation: { keys: [{ family: 'shop.chat', sender: 'first' }] } },
    ]);
    const wrong = `{ id: a, ${follows}, kind: nobody }, { id: a, ${follows} }, { id: b, kind: user, from: { field: password } }`;
    expect(problemsOf(withEntities(user(`${wrong}, { id: c, from: { member: x } }`)))).toEqual([
      expect.stringMatching(/relations\[3\]\.from: .*expected \{ members:/),
    ]);
    expect(
      problemsOf(withEntities(user(wrong), CHAT.replace("separator: ':'", "separator: ':', x: 1"))),
    ).toEqual([expect.stringMatching(/entities\[1\]\.pair: .*found the key "x", expected one of names,/)]);
    const unknown = CHAT.replace('members: people', 'members: nobody').replace('from: first', 'from: third');
    expect(problemsOf(withEntities(user(wrong, 'password'), unknown))).toEqual([
      expect.stringMatching(/entities\[0\]\.record\.keys\[0\]: .*password of shop\.user is a secret/),
      expect.stringMatching(/entities\[0\]\.relations\[0\]: found the relation "a", .*no kind nobody/),
      expect.stringMatching(/entities\[0\]\.relations\[1\]: .*the id is there twice/),
      expect.stringMatching(/entities\[0\]\.relations\[2\]: .*password of shop\.user is a secret/),
      expect.stringMatching(/entities\[1\]\.conversation: .*there is no relation nobody/),
      expect.stringMatching(/entities\[1\]\.conversation\.keys\[0\]: .*read from third, which is not known/),
    ]);
    expect(problemsOf(`${families}entities:\n  - kind: thing\n`)).toEqual([
      expect.stringMatching(/entities\[0\]: found the entity "thing", .*it needs branches, a record/),
    ]);
  });

  it('are found in bounded time, whatever the file', { tags: 'long' }, () => {
    const nested = /values nested too deeply, expected at most 16 levels/;
    // Each line repeats the one before nine times.
    const bomb = [...'abcdefghij']
      .map((name, i) => `${name}: &${name} [${Array(9).fill(i === 0 ? 'x' : `*${'abcdefghij'[i - 1]}`)}]`)
      .join('\n');
    const numbered = (count: number, make: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => make(i));
    const beginAlike = numbered(100, (i) => `id: f${i}, pattern: '{a}:${i}', ${STRING}`);
    const choices = ['a', 'b', 'c'].map((name) => `${name}: { oneOf: [1a, 1b, 1c, 1d, 1e, 1f, 1g] }`).join();
    const params = numbered(13, (i) => `{p${i}}`).join(':');
    const hostile: [string, RegExp][] = [
      ['['.repeat(500_000), nested],
      ['- '.repeat(300_000), nested],
      ['{a: '.repeat(200_000), nested],
      [bomb, /too many or circular aliases/],
      ['a: &a [*a]', /the key "a", expected one of/],
      [numbered(80_000, (i) => `k${i}: 1`).join('\n'), /too many values/],
      ['a: 1\na: 2', /a key for the second time/],
      ['x'.repeat(2 ** 20 + 1), /at most 1 MiB/],
      ['---\na: 1\n---\nb: 2', /several documents/],
      ['a: [1', /what YAML does not allow/],
      [withFamilies(...beginAlike), /one of 100 patterns/],
      [
        withFamilies(`id: a, pattern: '{a}:{b}:{c}:x', params: { ${choices} }, ${STRING}`),
        /at most 256 combinations/,
      ],
      [withFamilies(`id: a, pattern: '${params}', ${STRING}`), /at most 12 parameters/],
    ];
    for (const [text, expected] of hostile) {
      const startedAt = cpuMs();
      expect(problemsOf(text).join('\n'), text.slice(0, 60)).toMatch(expected);
      expect(cpuMs() - startedAt).toBeLessThan(5000);
    }
    const long = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}: { chars: abc, min: 30, max: 500 }`).join();
    const alike = numbered(
      60,
      (i) => `id: f${i}, pattern: '{z}:{a}:{b}:{c}:{d}:{e}:x${10 + i}', params: { ${long} }, ${STRING}`,
    );
    const startedAt = cpuMs();
    expect(problemsOf(withFamilies(...alike))).toEqual([]);
    expect(cpuMs() - startedAt).toBeLessThan(5000);
  });

  it('name a file that cannot be read', () => {
    const bytes = join(folder, 'bytes.yaml');
    writeFileSync(bytes, Buffer.from([0x61, 0xff, 0xfe]));
    const { problems } = loadCatalogs([join(folder, 'none.yaml'), folder, bytes]);
    expect(problems.map(({ found }) => found)).toEqual(['nothing (ENOENT)', 'no file', 'other bytes']);
  });
});

describe('a file that changes', () => {
  const family = (id: string) => withFamilies(`id: ${id}, pattern: '${id}:{x}', ${STRING}`);
  const idsOf = (path: string) => ownCatalogs([path]).flatMap(({ families }) => families.map(({ id }) => id));

  it('is read again, once a second at most, also when it was replaced; a broken version is not used', () => {
    const file = join(folder, 'changing.yaml');
    writeFileSync(file, family('one'));
    expect(idsOf(file)).toEqual(['shop.one']);
    const before = ownCatalogs([file]);
    writeFileSync(file, family('second'));
    expect(ownCatalogs([file])).toBe(before);
    recheckCatalogs();
    expect(idsOf(file)).toEqual(['shop.second']);
    const [second] = ownCatalogs([file]);
    expect(warn).toHaveBeenCalledTimes(1);

    writeFileSync(`${file}~`, family('Broken'));
    renameSync(`${file}~`, file);
    recheckCatalogs();
    const [kept] = ownCatalogs([file]);
    expect(kept).toMatchObject({ inForce: false, digest: second!.digest, loadedAt: second!.loadedAt });
    expect(kept!.families).toBe(second!.families);
    expect(kept!.problems).toMatchObject([{ line: 3, column: 11, path: 'families[0].id' }]);
    expect(catalogFor([], undefined, [kept!])).toBe(catalogFor([], undefined, [second!]));
    recheckCatalogs();
    ownCatalogs([file]);
    // Reported once, not at each look.
    expect(warn).toHaveBeenCalledTimes(2);
    expect(warn).toHaveBeenLastCalledWith(expect.stringMatching(/not used:\n {2}\S+changing\.yaml:3:11/));

    unlinkSync(file);
    recheckCatalogs();
    expect(ownCatalogs([file])[0]).toMatchObject({ inForce: false, families: second!.families });
    writeFileSync(file, family('third'));
    recheckCatalogs();
    expect(ownCatalogs([file])[0]).toMatchObject({ inForce: true, problems: [] });
    expect(idsOf(file)).toEqual(['shop.third']);
  });

  it('may be a link to another folder, as a mounted volume has it', () => {
    for (const version of ['v1', 'v2']) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, 'catalog.yaml'), family(version));
    }
    const link = join(folder, 'current');
    symlinkSync(join(folder, 'v1'), link);
    const file = join(link, 'catalog.yaml');
    expect(idsOf(file)).toEqual(['shop.v1']);
    unlinkSync(link);
    symlinkSync(join(folder, 'v2'), link);
    recheckCatalogs();
    expect(idsOf(file)).toEqual(['shop.v2']);
  });

  it('keeps the versions before of all files while one of them contradicts another', () => {
    const [a, b] = [join(folder, 'a.yaml'), join(folder, 'b.yaml')];
    writeFileSync(a, family('one'));
    writeFileSync(b, family('two').replace('shop', 'depot'));
    expect(ownCatalogs([a, b])).toMatchObject([{ inForce: true }, { inForce: true }]);
    writeFileSync(b, family('other'));
    recheckCatalogs();
    const [first, second] = ownCatalogs([a, b]);
    expect(first).toMatchObject({ app: 'shop', inForce: true, problems: [] });
    expect(second).toMatchObject({ app: 'depot', inForce: false, problems: [{ path: 'app' }] });
  });
});

describe('the JSON Schema', () => {
  // Ajv comes with the validator of OpenAPI documents.
  const { default: Ajv } = createRequire(import.meta.url)('ajv/dist/2020.js');
  const validate = new Ajv({ strict: false }).compile(catalogSchema());
  const isValid = (text: string): boolean => validate(parse(text));

  it('accepts what the console accepts, and refuses what it refuses', () => {
    const good = withFamilies(`id: a, pattern: 'a:{x}', ${STRING}, ttl: { min: 5m, max: 60 }`);
    expect(isValid(good)).toBe(true);
    for (const [change, to] of [
      ['id: a', 'id: A b'],
      ['ttl: { min: 5m, max: 60 }', 'ttl: 1y'],
      ['type: string', 'type: strin'],
      ['type: string', 'type: string, extra: 1'],
      ['app: shop', 'name: shop'],
    ] as const) {
      const wrong = good.replace(change, to);
      expect([isValid(wrong), problemsOf(wrong).length > 0], to).toEqual([false, true]);
    }
  });

  it('is of the draft that editors know, and describes each field', () => {
    const schema = catalogSchema();
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'catalog.schema.json',
    });
    const undescribed = (node: unknown, path: string): string[] => {
      if (typeof node !== 'object' || node === null) return [];
      const { properties = {}, ...rest } = node as { properties?: Record<string, { description?: string }> };
      const own = Object.entries(properties).filter(([, { description }]) => !description);
      return [
        ...own.map(([name]) => `${path}.${name}`),
        ...Object.entries({ ...rest, ...properties }).flatMap(([name, each]) =>
          undescribed(each, `${path}.${name}`),
        ),
      ];
    };
    expect(undescribed(schema, '')).toEqual([]);
  });
});
