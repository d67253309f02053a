// A loader for the browser's scripts (next.config.js): a module that uses texts imports them, so that a page loads only
// its own modules' texts. `messages/en.ts` itself keeps the texts used by key. Texts are parsed here, so that the browser
// needs no parser for them.
const { readFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');

const USED = /(?:\bconst (\w+) = )?\buseTranslations\('(\w+)\.?(\w*)/g;
/** Declarations and properties that name a namespace for useTexts. */
const NAMED = /\b(?:texts(?:=|: )|words=|declareColumns\(|useWords\()["'](\w+)/g;
/** Every module with texts contains one of these. */
const USES_TEXTS = new RegExp(`\\buse(?:Translations\\('|Messages\\()|${NAMED.source}`);
/** The dependencies of a React hook: naming a translator there does not use it. */
const DEPENDENCIES = /,\s*\[[\w\s,.?]*\],?\s*\)/g;
const CALL = /^(?:\.(?:has|markup|raw|rich))?\(/;
const LITERAL = /^\s*(?:'([\w-]+)[\w.-]*'|`([\w-]+)\.[^`]*`)\s*$/;
const IMPORTED = /^import (\w+) from '(\.\/en\/[\w-]+\.json)';$/gm;

/** Names of pages, which the navigation uses by key. */
const PAGE_NAMES = /^(nav|title$)/;
/** Other texts that are used by key, with the call that uses them: names of operations, purposes of pages. */
const BY_KEY = {
  actions: { keys: /^actions$/, call: 'useMessages(' },
  help: { keys: /^help/, call: 'helpKeyOf(' },
};

const only = (texts, keys) => Object.fromEntries(Object.entries(texts).filter(([key]) => keys.test(key)));

/** Texts as `use-intl/format-message/format-only` reads them. */
const compiled = (texts, compile) =>
  Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      typeof text === 'string' ? compile(text) : compiled(text, compile),
    ]),
  );

/** `messages/en.ts` with only these keys of each namespace. */
const namesOnly = (source, folder, compile, keys = PAGE_NAMES) => {
  const imported = [...source.matchAll(IMPORTED)];
  const texts = imported.map(([, name, file]) => [
    name,
    compiled(only(JSON.parse(readFileSync(join(folder, file), 'utf8')), keys), compile),
  ]);
  return `export const messages = ${JSON.stringify(Object.fromEntries(texts))};\n`;
};

const fileOf = (namespace) => namespace.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The first argument of a call, from the character after its bracket. */
const firstArgument = (text) => {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (depth === 0 && /[,)]/.test(text[at])) return text.slice(0, at);
    if (/[([{]/.test(text[at])) depth += 1;
    if (/[)\]}]/.test(text[at])) depth -= 1;
  }
  return text;
};

/** The keys in `'key'` or `condition ? 'key' : 'other'`, or null if they are known only at run time. */
const literalKeys = (argument) => {
  const [condition, ...branches] = argument.split(/\?(?![.?])|:/);
  const keys = (branches.length === 0 ? [condition] : branches)
    .map((branch) => LITERAL.exec(branch))
    .map((match) => match?.[1] ?? match?.[2]);
  return keys.includes(undefined) ? null : keys;
};

/** The keys that a translator is called with, or null if it is passed on or a key is known only at run time. */
const keysOf = (source, translator) => {
  const keys = [];
  for (const { 0: name, index } of source.matchAll(new RegExp(`(?<![\\w.$'])${translator}\\b`, 'g'))) {
    const after = source.slice(index + name.length);
    const call = CALL.exec(after);
    const literals = call && literalKeys(firstArgument(after.slice(call[0].length)));
    if (!literals) return null;
    keys.push(...literals);
  }
  return keys;
};

/** Namespaces that a module uses, each with the keys of its top level, or null for all. */
const namespacesOf = (module) => {
  const source = module.replace(DEPENDENCIES, ')');
  const namespaces = new Map();
  const add = (namespace, keys) => {
    const others = namespaces.get(namespace);
    namespaces.set(namespace, keys && others !== null ? new Set([...(others ?? []), ...keys]) : null);
  };
  for (const { 0: text, 1: translator, 2: namespace, 3: key, index } of source.matchAll(USED)) {
    if (key) add(namespace, [key]);
    else if (!translator) add(namespace, null);
    else {
      // A translator is used in its own function, which ends at the latest where its name is declared again.
      const [own] = source.slice(index + text.length).split(`const ${translator} = use`);
      add(namespace, keysOf(own, translator));
    }
  }
  for (const [, namespace] of source.matchAll(NAMED)) add(namespace, null);
  return namespaces;
};

const lineFor = (namespace, key) => {
  const name = ['textsOf', namespace, key?.replaceAll('-', '_')].filter(Boolean).join('_');
  const file = `@/messages/en/${fileOf(namespace)}.json${key ? `?key=${key}` : ''}`;
  const texts = key ? `{ '${key}': ${name} }` : name;
  return `import ${name} from '${file}';\nObject.assign(ownTexts['${namespace}'], ${texts});\n`;
};

const withKey = (key) => `import { messages as ${key} } from '@/messages/en?key=${key}';
for (const name in ${key}) Object.assign(ownTexts[name], ${key}[name]);
`;

/** The module, followed by imports of its texts. */
const withNamespaces = (source) => {
  const lines = [...namespacesOf(source)].flatMap(([namespace, keys]) =>
    [...(keys ?? [undefined])].map((key) => lineFor(namespace, key)),
  );
  for (const [key, { call }] of Object.entries(BY_KEY)) if (source.includes(call)) lines.push(withKey(key));
  if (lines.length === 0) return source;
  return `${source}\nimport { messages as ownTexts } from '@/messages/en';\n${lines.join('')}`;
};

const forBrowser = async (source, path, key) => {
  const { default: compile } = await import('icu-minify/compile');
  if (path.endsWith('.json')) {
    const texts = compiled(JSON.parse(source), compile);
    return `export default ${JSON.stringify(key ? texts[key] : texts)};`;
  }
  if (basename(path) !== 'en.ts') return withNamespaces(source);
  return namesOnly(source, dirname(path), compile, BY_KEY[key]?.keys ?? PAGE_NAMES);
};

function ownTexts(source) {
  const callback = this.async();
  const key = new URLSearchParams(this.resourceQuery).get('key');
  forBrowser(source, this.resourcePath, key).then((text) => callback(null, text), callback);
}

module.exports = ownTexts;
module.exports.namesOnly = namesOnly;
module.exports.USES_TEXTS = USES_TEXTS;
module.exports.withNamespaces = withNamespaces;
