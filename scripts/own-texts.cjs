// A loader for the browser's scripts (next.config.js): a module that uses texts imports its namespaces, so that a page
// loads only its own modules' texts. `messages/en.ts` itself keeps the texts used by key. Texts are parsed here, so that
// the browser needs no parser for them.
const { readFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');

const USED = /\buseTranslations\('(\w+)/g;
const IMPORTED = /^import (\w+) from '(\.\/en\/[\w-]+\.json)';$/gm;

/** Names of pages (the navigation) and of operations (the audit log), which are used without their namespace. */
const isUsedByKey = (key) => /^(nav|title$|actions$)/.test(key);

const withoutOthers = (texts) =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => isUsedByKey(key)));

/** Texts as `use-intl/format-message/format-only` reads them. */
const compiled = (texts, compile) =>
  Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      typeof text === 'string' ? compile(text) : compiled(text, compile),
    ]),
  );

/** `messages/en.ts` with only the texts that are used by key. */
const namesOnly = (source, folder, compile) => {
  const imported = [...source.matchAll(IMPORTED)];
  const texts = imported.map(([, name, file]) => [
    name,
    compiled(withoutOthers(JSON.parse(readFileSync(join(folder, file), 'utf8'))), compile),
  ]);
  return `export const messages = ${JSON.stringify(Object.fromEntries(texts))};\n`;
};

const fileOf = (namespace) => namespace.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The module, followed by imports of its namespaces. */
const withNamespaces = (source) => {
  const namespaces = [...new Set([...source.matchAll(USED)].map(([, namespace]) => namespace))];
  if (namespaces.length === 0) return source;
  const lines = namespaces.map(
    (namespace) =>
      `import textsOf_${namespace} from '@/messages/en/${fileOf(namespace)}.json';\n` +
      `ownTexts['${namespace}'] = textsOf_${namespace};\n`,
  );
  return `${source}\nimport { messages as ownTexts } from '@/messages/en';\n${lines.join('')}`;
};

const forBrowser = async (source, path) => {
  const { default: compile } = await import('icu-minify/compile');
  if (path.endsWith('.json'))
    return `export default ${JSON.stringify(compiled(JSON.parse(source), compile))};`;
  return basename(path) === 'en.ts' ? namesOnly(source, dirname(path), compile) : withNamespaces(source);
};

function ownTexts(source) {
  const callback = this.async();
  forBrowser(source, this.resourcePath).then((text) => callback(null, text), callback);
}

module.exports = ownTexts;
module.exports.namesOnly = namesOnly;
module.exports.withNamespaces = withNamespaces;
