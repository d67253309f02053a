import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { checkArchitecture } from './check-architecture.mjs';

const trees: string[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true, force: true });
});

/** What makes these two folders domains. */
const DOMAINS = { 'lib/flags/schema.ts': '', 'lib/guard/schema.ts': '' };

const problemsOf = (files: Record<string, string>): string[] => {
  const root = mkdtempSync(join(tmpdir(), 'keyward-rules-'));
  trees.push(root);
  for (const [path, content] of Object.entries({ ...DOMAINS, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return checkArchitecture(root).problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
};

const UNUSED = /nothing imports this/;
const MISSING = /: (lib|components|messages)\/\S+ is missing/;

/** These trees are fragments: unused and missing files are ignored here, and have tests of their own. */
const check = (files: Record<string, string>): string[] =>
  problemsOf(files).filter((problem) => !UNUSED.test(problem) && !MISSING.test(problem));

const SERVER = "import 'server-only';\n";

it('is content with downward imports', () => {
  const problems = check({
    'lib/configuration.ts': 'export const port = process.env.PORT;',
    'lib/keyring.ts': "import { port } from './env';\nexport const key = port;",
    'lib/redis/reader.ts': `${SERVER}import type { Redis } from 'ioredis';\nimport { port } from '@/lib/configuration';`,
    'lib/keyspace/family.ts': 'export const family = 1;',
    'lib/sessions/schema.ts': "import { contract } from '../contract';",
    'lib/sessions/reads.ts': `${SERVER}import { read } from '../redis/reader';\nimport './schema';`,
    'lib/contract.ts': 'export const contract = 1;',
    'components/shell/frame.tsx': "import { contract } from '@/lib/contract';",
    'components/sessions/table.tsx':
      "import '@/lib/sessions/schema';\nimport '../shell/frame';\nimport './queries';",
    'components/sessions/queries.ts': "import { call } from '@/lib/api-client';",
    'lib/api-client.ts': '',
    'app/page.tsx': "import '@/components/sessions/table';\nimport '@/lib/sessions/reads';",
    'next.config.js': 'export default { basePath: process.env.KEYWARD_BASE_PATH };',
  });
  expect(problems).toEqual([]);
});

it.each([
  [
    'upward',
    { 'lib/redis/a.ts': `${SERVER}import { b } from '@/lib/audit/b';` },
    /rank 1 \(lib\/redis\) may not import rank 2/,
  ],
  [
    'sideways',
    { 'lib/flags/a.ts': `${SERVER}import '../guard/b';` },
    /lib\/flags and lib\/guard both have rank 7.*move/,
  ],
  [
    'up from a single file',
    { 'lib/time.ts': "export * from './command';" },
    /rank 0 .* may not import rank 4/,
  ],
  [
    'up by import()',
    { 'lib/jobs/a.ts': `${SERVER}const f = () => import('../sampler/b');` },
    /rank 5 .* rank 9/,
  ],
  [
    'a type from above',
    { 'lib/redis/a.ts': `${SERVER}import type {\n  B,\n} from '../audit/b';` },
    /^lib\/redis\/a.ts:4: rank 1/,
  ],
  [
    'ioredis elsewhere',
    { 'lib/audit/a.ts': `${SERVER}import type { Redis } from 'ioredis';` },
    /lib\/redis only, its types too/,
  ],
  ['ioredis in a test', { 'lib/audit/a.test.ts': "import { Redis } from 'ioredis';" }, /lib\/redis only/],
  ['bullmq elsewhere', { 'lib/audit/a.ts': `${SERVER}import { Queue } from 'bullmq';` }, /lib\/jobs only/],
  [
    'recharts elsewhere',
    { 'components/flags/a.tsx': "import { Line } from 'recharts';" },
    /components\/charts only/,
  ],
  [
    'the environment elsewhere',
    { 'app/page.tsx': 'export const a = process.env.A;' },
    /lib\/configuration\.ts only: add the setting/,
  ],
  [
    'a colour without a meaning',
    { 'components/flags/a.tsx': 'export const A = () => <Badge color="teal" />;' },
    /teal means nothing: red is broken/,
  ],
  [
    'lib below a component',
    { 'components/flags/a.tsx': "import '@/lib/flags/reads';" },
    /ask through the HTTP interface/,
  ],
  [
    'a component’s neighbour',
    { 'components/flags/a.tsx': "import '@/components/guard/b';" },
    /let the page put them together/,
  ],
  [
    'a domain below the shell',
    { 'components/shell/a.tsx': "import '../guard/b';" },
    /is shared and may not know/,
  ],
  ['a name that says nothing', { 'lib/flags/utils.ts': SERVER }, /"utils" says nothing/],
  ['a folder that says nothing', { 'components/flags/helpers/a.tsx': '' }, /"helpers" says nothing/],
  ['a barrel', { 'components/flags/index.ts': '' }, /no index files/],
  ['no server-only', { 'lib/flags/reads.ts': 'export const a = 1;' }, /begins with `import 'server-only';`/],
  ['server-only too late', { 'lib/flags/reads.ts': `import 'node:fs';\n${SERVER}` }, /begins with/],
  ['a long route', { 'app/api/x/route.ts': 'x;\n'.repeat(16) }, /16 lines, 15 at most/],
  ['a folder without a rank', { 'lib/magic/a.ts': SERVER }, /has no rank/],
])('finds %s', (_what, files, message) => {
  const problems = check(files as Record<string, string>);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(message);
});

it('knows what a glob gathers', () => {
  const problems = problemsOf({
    'lib/flags/a.ts': '',
    'lib/flags/b.ts': '',
    'lib/flags/all.ts':
      "export const all = import.meta.glob<{ id: string }>(['./*.ts', '!./all.ts', '!./b.ts']);",
    'app/page.tsx': "import '@/lib/flags/all';",
  });
  expect(problems.filter((problem) => UNUSED.test(problem))).toEqual([
    expect.stringMatching(/^lib\/flags\/b\.ts/),
    expect.stringMatching(/^lib\/guard\/schema\.ts/),
  ]);
});

it('finds what nothing but tests imports', () => {
  const problems = problemsOf({
    'lib/time.ts': '',
    'lib/ids.ts': '',
    'lib/ids.test.ts': "import './ids';",
    'components/flags/a.tsx': "import '@/lib/time';",
    'app/page.tsx':
      "import '@/components/flags/a';\nimport '@/lib/flags/schema';\nimport '@/lib/guard/schema';",
  });
  expect(problems.filter((problem) => !MISSING.test(problem))).toEqual([
    expect.stringMatching(/^lib\/ids\.ts:1: nothing imports this.*CONTRIBUTING/),
  ]);
});

it('finds circles and names the files along them', () => {
  const [circle, ...rest] = check({
    'lib/time.ts': "import './ids';",
    'lib/ids.ts': "import '@/lib/actor';",
    'lib/actor.ts': "export { x } from './time';",
  });
  expect(rest).toEqual([]);
  expect(circle).toContain('→');
  for (const file of ['lib/time.ts', 'lib/ids.ts', 'lib/actor.ts']) expect(circle).toContain(file);
});

it('forbids the names of applications outside the catalog', () => {
  const apps = "export const APP_IDS = ['blog', 'shop'] as const;";
  const problems = check({
    'lib/apps.ts': apps,
    'lib/keyspace/apps/blog.ts': "export const id = 'blog.session';",
    'lib/configuration-connections.ts': "export const section = 'shop';",
    'lib/guard/guard.test.ts': "const id = 'shop.bans';",
    'lib/guard/bench.bench.ts': "const apps = ['shop'];",
    'lib/guard/reads.ts': [
      SERVER.trimEnd(),
      "// Not 'blog.session' by name.",
      "export const key = ctx.catalog.get('shop.bans');",
      'export const other = `blog.session`;',
      "export const words = ['blogger', 'the shop', 'shopping.cart'];",
    ].join('\n'),
    'components/overview/tiles.tsx': 'export const has = apps.includes("blog");',
  });
  expect(problems).toEqual([
    expect.stringMatching(/^components\/overview\/tiles\.tsx:1: blog is one application's: ask for a role/),
    expect.stringMatching(/^lib\/guard\/reads\.ts:3: shop\.bans is one application's/),
    expect.stringMatching(/^lib\/guard\/reads\.ts:4: blog\.session is one application's/),
  ]);
});

it('does not take comments and texts for imports', () => {
  const source = `${SERVER}// import { x } from '../sampler/a';\n/* import '../sampler/b' */\nconst t = "import '../sampler/c'";`;
  expect(check({ 'lib/redis/a.ts': source })).toEqual([]);
});

it('asks for comments of four lines at most, tables and formats aside', () => {
  const lines = (count: number, prefix: string) => Array(count).fill(`${prefix}why`).join('\n');
  const format = '/**\n * A file:\n *\n *   0  magic\n *   8  version\n *   9  salt\n *   12  nonce\n */\n';
  expect(check({ 'lib/a.ts': `/**\n${lines(4, ' * ')}\n */\nconst a = 1;\n${format}` })).toEqual([]);
  expect(check({ 'lib/a.ts': `/**\n${lines(5, ' * ')}\n */` })).toEqual([
    expect.stringMatching(/^lib\/a\.ts:1: a comment says why in three lines: 5 here/),
  ]);
  expect(check({ 'lib/a.ts': `const a = 1;\n${lines(5, '// ')}` })).toEqual([
    expect.stringMatching(/^lib\/a\.ts:2: /),
  ]);
});

it('finds phrases in comments that read translated, and sources that are not in the repository', () => {
  const problems = check({
    'docs/api.md': '',
    'lib/README.md': '',
    'lib/a.ts': [
      '/** Of the key, bytes. */',
      'const a = 1; // Of trailing comments nothing is asked.',
      '/**',
      ' * A longer value is no number.',
      ' */',
      '// As in ui.md, and §3 of document 004; README.md and docs/api.md exist.',
      'const text = "/** Of the key */ is no number";',
      '// Where there is no key it is not a number.',
      '// An ObjectId (003).',
    ].join('\n'),
    'lib/a.test.ts': '// Of a key that is no number.\nimport "./a";',
  });
  expect(problems).toEqual([
    'lib/a.ts:1: "/** Of" in a comment: begin with what it is: "The length of …", "For a list: …"',
    'lib/a.ts:3: "is no number" in a comment: write "is not a …"',
    expect.stringMatching(/^lib\/a\.ts:6: "§" in a comment: name the Redis command/),
    'lib/a.ts:6: ui.md is not in the repository: name the real source of the rule',
    expect.stringMatching(/^lib\/a\.ts:8: "\(003\)" in a comment: name the Redis command/),
  ]);
});

it('wants effects and refs that return their clean-up or nothing', () => {
  const effects = [
    'useEffect(() => top.current?.scrollIntoView(), [id]);',
    'useLayoutEffect(() => focusFirst(), []);',
    'useEffect(focusFirst, []);',
    'useEffect(\n  () => void load(),\n  [],\n);',
    'useEffect(() => {\n  return list.scrollTo(0, 0);\n});',
    'const a = <p ref={(node) => node?.focus()} />;',
  ];
  for (const effect of effects)
    expect(check({ 'components/flags/a.tsx': effect }), effect).toEqual([
      expect.stringMatching(/its clean-up/),
    ]);
  const right = [
    'useEffect(() => {\n  top.current?.scrollIntoView();\n}, [id]);',
    'useEffect(() => setText(value), [value]);',
    'useEffect(() => hide, [hide]);',
    'useEffect(() => {\n  return () => box.focus();\n}, [box]);',
  ];
  for (const effect of right) expect(check({ 'components/flags/a.tsx': effect }), effect).toEqual([]);
});

it('wants one word for a page, its folders, its texts and its operations', () => {
  const files = {
    'app/(console)/[connection]/rooms/page.tsx': "import '@/components/rooms/page';",
    'components/rooms/page.tsx': "import '@/lib/conversations/schema';",
    'lib/conversations/schema.ts': "export const list = { id: 'conversations.list' };",
    'lib/guard/schema.ts':
      "export const top = { id: 'guard.ips.top' };\nexport const reset = { id: 'bans.reset' };",
  };
  const problems = problemsOf(files).filter((problem) => !UNUSED.test(problem));
  const shortened = problems.map((problem) => problem.replace(/: a page.*$/, ''));
  expect(shortened).toEqual([
    'app/(console)/[connection]/rooms/page.tsx:1: lib/rooms is missing',
    'app/(console)/[connection]/rooms/page.tsx:1: messages/en/rooms.json is missing',
    'components/rooms/page.tsx:1: lib/rooms is missing',
    'components/rooms/page.tsx:1: messages/en/rooms.json is missing',
    'lib/guard/schema.ts:1: bans.reset: operations of lib/guard begin with guard',
  ]);
});
