import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTranslator } from 'next-intl';
import { describe, expect, it } from 'vitest';
import { allContracts } from '@/lib/domains/all';
import { messages } from '@/messages/en';
import { camelCase } from '@/messages/namespaces';
import type { AnyList } from './contract-list/declare-list';
import type { DeclaredColumns } from './data-table/declared-columns';
import { actionWords } from './patterns/action-words';
import { helpKeyOf, PAGES, SHARED } from './shell/pages';

const ROOT = join(import.meta.dirname, '..');

type Tree = { [key: string]: string | Tree };

const leaves = (tree: Tree, path = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]): [string, string][] => {
    const at = path ? `${path}.${key}` : key;
    return typeof value === 'string' ? [[at, value]] : leaves(value, at);
  });

const files = ['app', 'components'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
    .map((name) => join(ROOT, folder, name)),
);
const sources = files.map((file) => readFileSync(file, 'utf8'));

const declaring = files.filter((_, i) => sources[i]!.includes(' = declareList({'));
const modules: object[] = await Promise.all(declaring.map((file) => import(file)));
const lists = modules
  .flatMap((module) => Object.values(module) as AnyList[])
  .filter(({ contract, texts }) => contract && texts);

const known = new Set(leaves(messages).map(([key]) => key));

/** The texts of a declared list: what its namespace does not have is in the one around it, and headers in `words`. */
const textsOf = (list: AnyList): string[] => {
  const { texts, columns, search, selects = {}, spans = {}, states, actions = {}, bulk, ownFiltered } = list;
  return [
    'label',
    'empty.title',
    'empty.text',
    ...(ownFiltered ? ['empty.filtered'] : []),
    ...(search ? ['search'] : []),
    ...Object.keys(spans).flatMap((name) => [`any.${name}`, `span.${name}`, `time.${name}`]),
    ...(bulk ? ['bulk.select', 'bulk.verb', 'bulk.tooMany'] : []),
    ...(bulk?.ofMatches ? ['bulk.all', 'bulk.filterFirst'] : []),
    ...columns.map(({ id, header = id }) => `column.${header}`),
    ...Object.entries(selects).flatMap(([name, values]) => [
      `any.${name}`,
      `column.${name}`,
      ...(typeof values === 'function' ? [] : values.map((value) => `${name}.${value}`)),
    ]),
    ...(states ? ['states'] : []),
    ...Object.keys(states?.tones ?? {}).flatMap((id) => [
      `${states!.name}.${id}`,
      `${states!.name}Means.${id}`,
    ]),
    ...(list.isMenu ? ['actionsOf'] : []),
    ...Object.entries(actions).flatMap(([name, { ofMany }]) => [
      ...(list.isMenu ? [`menu.${name}`] : [`${name}.verb`, `${name}.title`]),
      ...(ofMany ? [`${name}.many`] : []),
    ]),
  ].map((key) => {
    const around = `${texts.split('.')[0]}.${key}`;
    if (known.has(`${texts}.${key}`)) return `${texts}.${key}`;
    return known.has(around) ? around : key.replace(/^column\./, 'words.');
  });
};

const declaringColumns = files.filter((_, i) => / = declareColumns[<(]/.test(sources[i]!));
const tables = (await Promise.all(declaringColumns.map((file) => import(file) as Promise<object>)))
  .flatMap((module) => Object.values(module) as DeclaredColumns<unknown>[])
  .filter((exported) => exported.texts && exported.columns && !('contract' in exported));

/** The headers of declared columns. */
const headersOf = ({ texts, columns }: DeclaredColumns<unknown>): string[] =>
  columns
    .map(({ id, header = id }) => header)
    .map((key) => (known.has(`${texts}.${key}`) ? `${texts}.${key}` : `words.${key}`));

/** Namespaces that are a property: of a page of lists, of what was found, and of words with their meanings. */
const textsOfProps = (source: string): string[] => [
  ...[...source.matchAll(/<Found texts="([\w.]+)"/g)].map(([, name]) => `${name}.found`),
  ...[...source.matchAll(/<ListPage\s+texts="([\w.]+)"/g)].flatMap(([, name]) =>
    ['title', 'sentence', 'tab.*'].map((key) => `${name}.${key}`),
  ),
  ...[...source.matchAll(/<MeantBadges words="([\w.]+)"/g)].flatMap(([, name]) => [
    `${name}.*`,
    `${name}Means.*`,
  ]),
];

const NAMESPACE = /(?:useTranslations|getTranslations)\(\s*['"]([\w.]+)['"]/g;
const CALL = /\bt[A-Z]?\w*(?:\.(?:rich|markup|raw|has))?\(\s*(`[^`]*`|(?:[^,()]|\([^()]*\))+?)\s*[,)]/g;

/** The keys of one argument: `'a.b'`, `` `a.${b}` ``, `x ? 'a' : 'b'`; a name known at run time is one `*`. */
const keysOf = (argument: string): string[] => {
  if (argument.startsWith('`')) return [argument.slice(1, -1).replace(/\$\{[^}]*\}/g, '*')];
  const literals = [...argument.matchAll(/'([\w.]+)'/g)].map((match) => match[1]!);
  return literals.length > 0 ? literals : ['*'];
};

/** Every key a source may ask for; a part decided at run time is `*`. */
const asked = (source: string): string[] => {
  const namespaces = [...source.matchAll(NAMESPACE)].map((match) => match[1]!);
  const keys = [...source.matchAll(CALL)].flatMap((match) => keysOf(match[1]!));
  return namespaces.flatMap((namespace) => keys.map((key) => `${namespace}.${key}`));
};

/** What the drawer of a change of several rows may ask for, and the names of these. */
const textsOfBulk = ({ texts, bulk }: AnyList): string[] =>
  bulk ? [`${texts}.bulk.*`, ...['bulk', 'name'].map((key) => `${texts.split('.')[0]}.${key}.*`)] : [];

/** What leaves the console is written by the server, by whole keys. */
const sent = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.ts$/.test(name) && !name.includes('.test.'))
  .map((name) => readFileSync(join(ROOT, 'lib', name), 'utf8'))
  .flatMap((source) => [...source.matchAll(CALL)].flatMap((match) => keysOf(match[1]!)))
  .filter((key) => key.startsWith('sentTexts.'));

const names = new Set([
  ...sources.flatMap(asked),
  ...sources.flatMap(textsOfProps),
  ...lists.flatMap(textsOf),
  ...tables.flatMap(headersOf),
  ...lists.flatMap(textsOfBulk),
  ...sent,
]);
const patterns = [...names]
  .filter((name) => name.includes('*'))
  .map((name) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[\\w-]+')}$`));

/** What is read by a name that is data: the navigation's labels, what pages are for, and the audit log's words for operations. */
const labels = new Set<string>([
  ...PAGES.flatMap((page) => [page.label, helpKeyOf(page)]),
  ...Object.values(SHARED),
]);
/** On record without an operation of the interface: next-auth's own routes, and what the console does by itself. */
const NO_OPERATIONS = [
  'session.signIn',
  'session.signOut',
  'audit.alarm',
  'audit.forget',
  'account.recordRefused',
  'account.sealRecords',
  'store.restore',
  'store.upgrade',
];

describe('the English texts', () => {
  it('are all read by some page', () => {
    const unused = leaves(messages).filter(
      ([key]) =>
        !/^\w+\.actions\./.test(key) &&
        !labels.has(key) &&
        !names.has(key) &&
        !patterns.some((pattern) => pattern.test(key)),
    );
    expect(unused.map(([key]) => key)).toEqual([]);
  });

  it('has what each page is for', () => {
    expect(PAGES.map(helpKeyOf).filter((key) => !known.has(key))).toEqual([]);
  });

  it('has all that the declared lists need', () => {
    expect(lists).not.toEqual([]);
    expect(lists.flatMap(textsOf).filter((key) => !known.has(key))).toEqual([]);
  });

  it('has the headers of declared columns, which are exported', () => {
    const known = new Set(leaves(messages).map(([key]) => key));
    const declared = sources.flatMap((source) => source.match(/ = declareColumns[<(]/g) ?? []);
    expect(tables).toHaveLength(declared.length);
    expect(tables.flatMap(headersOf).filter((key) => !known.has(key))).toEqual([]);
  });

  it('have words for nothing that is no operation', () => {
    const operations = new Set([...allContracts.map(({ id }) => id), ...NO_OPERATIONS]);
    expect([...actionWords(messages).keys()].filter((id) => !operations.has(id))).toEqual([]);
  });

  // TypeScript needs the imports of what a glob would find: `npx vitest run components/messages -u` writes them.
  it('are what messages/en.ts imports', async () => {
    const names = readdirSync(join(ROOT, 'messages/en')).map((file) => file.replace('.json', ''));
    const text = [
      ...names.sort().map((name) => `import ${camelCase(name)} from './en/${name}.json';`),
      '',
      '/** One namespace per file, written by messages.test.ts. `words`: what several domains say. */',
      'export const messages = {',
      ...names.map((name) => `  ${camelCase(name)},`),
      '};\n',
    ];
    await expect(text.join('\n')).toMatchFileSnapshot(join(ROOT, 'messages/en.ts'));
  });

  it('are all well-formed ICU messages', () => {
    const broken: string[] = [];
    // The pages' own look-ups are typed; here a path is known only at run time.
    const t = createTranslator({
      locale: 'en',
      messages,
      onError: (error) => {
        if (error.code === 'INVALID_MESSAGE') broken.push(error.message);
      },
    }) as unknown as { rich: (key: string, values: Record<string, unknown>) => unknown };
    for (const [key, text] of leaves(messages)) {
      const fields = Object.fromEntries([...text.matchAll(/\{\s*(\w+)/g)].map((match) => [match[1]!, 1]));
      const tags = Object.fromEntries([...text.matchAll(/<(\w+)>/g)].map((match) => [match[1]!, () => '']));
      t.rich(key, { ...fields, ...tags });
    }
    expect(broken).toEqual([]);
  });
});
