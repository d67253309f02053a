import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ts } from '@ts-morph/common';
import { APP_IDS } from '@/lib/apps';
import { commonBeside } from '@/lib/keyspace/apps/common';
import { knownCatalog } from '@/lib/keyspace/apps/known';
import { escaped } from '@/messages/sentences';
import { filesUnder } from '../files-under.mjs';

const ROOT = join(import.meta.dirname, '../..');
const NOT_SERVER = /\.test\.|\.bench\.|\/testing\//;
/** Texts for operators, written before there is a page: settings, start, upgrade. */
const NOT_SHOWN = /^lib\/(configuration|doctor|upgrade|keyring|wiring|redis\/(address|url))/;
/** Properties whose value is shown: of problems, and of what undo could not restore. */
const SHOWN = new Set(['message', 'exists', 'expired', 'refused']);
const CHECKS = new Set(['refine', 'superRefine', 'regex', 'min', 'max', 'length', 'multipleOf']);

/** A sentence without the names of its values: `Wait {seconds} s.` is `Wait {} s.`. */
export const formOf = (sentence: string): string => sentence.replaceAll(/\{\w*\}/g, '{}');

const textOf = (node: ts.Node): string | null => {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');
};

const constantsOf = (file: ts.SourceFile): Map<string, ts.Expression> =>
  new Map(
    file.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => [...declarationList.declarations])
      .flatMap(({ name, initializer }) => (initializer ? [[name.getText(file), initializer] as const] : [])),
  );

/** The texts that an expression may have, as far as they are written in its file. */
const textsIn = (node: ts.Expression, constants: Map<string, ts.Expression>): string[] => {
  const text = textOf(node);
  if (text !== null) return [text];
  if (ts.isConditionalExpression(node))
    return [...textsIn(node.whenTrue, constants), ...textsIn(node.whenFalse, constants)];
  const constant = ts.isIdentifier(node) && /^[A-Z\d_]+$/.test(node.text) && constants.get(node.text);
  return constant ? textsIn(constant, constants) : [];
};

const nameOf = (callee: ts.Expression): string => {
  if (ts.isPropertyAccessExpression(callee)) return callee.name.text;
  return ts.isIdentifier(callee) ? callee.text : '';
};

/** The expression whose value a refusal shows, where `node` makes one. */
const shownBy = (node: ts.Node): ts.Expression | undefined => {
  if (ts.isNewExpression(node) && nameOf(node.expression) === 'Problem') return node.arguments?.[1];
  if (ts.isPropertyAssignment(node) && SHOWN.has(node.name.getText())) return node.initializer;
  if (!ts.isCallExpression(node)) return undefined;
  const name = nameOf(node.expression);
  // A name that begins with a value comes from a caller.
  if (name === 'notFound' && !textOf(node.arguments[0]!)?.startsWith('{}')) return node.arguments[0];
  const isRefusal = name === 'badField' || name === 'withDetail' || CHECKS.has(name);
  return isRefusal ? node.arguments.at(-1) : undefined;
};

const FILES = (filesUnder(join(ROOT, 'lib')) as string[])
  .map((file) => relative(ROOT, file))
  .filter((file) => file.endsWith('.ts') && !NOT_SERVER.test(file));
const parsed = new Map<string, ts.SourceFile>();

const sourceOf = (file: string): ts.SourceFile => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const source = parsed.get(file) ?? ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  parsed.set(file, source);
  return source;
};

const visitAll = (node: ts.Node, visit: (node: ts.Node) => void): void => {
  visit(node);
  ts.forEachChild(node, (child) => visitAll(child, visit));
};

/** Without what follows the sentence, which is translated by itself. */
const sentenceOf = (text: string): string =>
  formOf(text)
    // A parameter of a pattern, with its braces.
    .replaceAll('{{}}', '{}')
    .replace(/(?<=\.) ?\{\}$/, '')
    .replaceAll('{}{}', '{}');

/** Other texts are values only. */
const hasWords = (text: string): boolean => (text.match(/\p{L}/gu) ?? []).length >= 7 && text.includes(' ');

/** Every sentence that a refusal of the server may show, in the form of `formOf`. */
export const refusalsOfServer = (): Set<string> => {
  const sentences = new Set<string>();
  for (const file of FILES.filter((name) => !NOT_SHOWN.test(name)).map(sourceOf)) {
    const constants = constantsOf(file);
    visitAll(file, (node) => {
      const shown = shownBy(node);
      for (const text of shown ? textsIn(shown, constants) : []) {
        if (hasWords(text)) sentences.add(sentenceOf(text));
      }
    });
  }
  return sentences;
};

/** The names of families, entities and their parts in the catalogs of the known applications. */
export const catalogWords = (): Set<string> =>
  new Set(
    [...APP_IDS.map(knownCatalog), { families: commonBeside([]), entities: [] }].flatMap(
      ({ families, entities }) => [
        ...families.flatMap(({ title, purpose }) => [title, purpose]),
        ...entities.flatMap(({ title, facts = {}, branches, relations = [] }) => [
          title,
          ...[...Object.values(facts), ...branches, ...relations].map((part) => part.title),
          ...Object.values(facts).flatMap(({ hint }) => hint ?? []),
        ]),
      ],
    ),
  );

/** Whether a text in the server's sources has this form, or gets it by its values. */
export const isWritten = (): ((form: string) => boolean) => {
  const sentences = catalogWords();
  for (const file of FILES.map(sourceOf))
    visitAll(file, (node) => {
      const text = textOf(node);
      if (text) sentences.add(sentenceOf(text));
    });
  const templates = [...sentences]
    .filter((text) => text.includes('{}') && /\p{L}{5,}|\p{L}{2,} \p{L}/u.test(text))
    .map((text) => new RegExp(`^${text.split('{}').map(escaped).join('[^]*')}$`));
  // A name may follow: `Restarted: 10.0.0.1:6379`.
  return (form) =>
    sentences.has(form.replace(/: \{\}$/, '')) || templates.some((template) => template.test(form));
};
