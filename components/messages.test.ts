import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTranslator } from 'next-intl';
import { describe, expect, it } from 'vitest';
import { allContracts } from '@/lib/domains/all';
import { messages } from '@/messages/en';
import { actionWords } from './patterns/action-words';
import { PAGES } from './shell/pages';

const ROOT = join(import.meta.dirname, '..');

type Tree = { [key: string]: string | Tree };

const leaves = (tree: Tree, path = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]): [string, string][] => {
    const at = path ? `${path}.${key}` : key;
    return typeof value === 'string' ? [[at, value]] : leaves(value, at);
  });

const sources = ['app', 'components'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
);

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

const names = new Set(sources.flatMap(asked));
const patterns = [...names]
  .filter((name) => name.includes('*'))
  .map((name) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[\\w-]+')}$`));

/** What is read by a name that is data: the navigation's labels, and the audit log's words for operations. */
const labels = new Set<string>(PAGES.map((page) => page.label));
/** On record without an operation of the interface: next-auth's own routes, and what the console does by itself. */
const NO_OPERATIONS = [
  'session.signIn',
  'session.signOut',
  'audit.alarm',
  'audit.forget',
  'account.recordRefused',
  'account.sealRecords',
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

  it('have words for nothing that is no operation', () => {
    const known = new Set([...allContracts.map(({ id }) => id), ...NO_OPERATIONS]);
    expect([...actionWords(messages).keys()].filter((id) => !known.has(id))).toEqual([]);
  });

  it('are all listed in messages/en.ts', () => {
    const files = readdirSync(join(ROOT, 'messages/en')).map((name) => name.replace('.json', ''));
    const listed = Object.keys(messages).map((name) =>
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    );
    expect(files.filter((name) => !listed.includes(name))).toEqual([]);
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
