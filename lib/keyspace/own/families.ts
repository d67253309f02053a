import { CONSOLE_PREFIX } from '../apps/console-own';
import { type Family, type FamilyDefinition, family, type TtlPolicy } from '../family';
import type { Grammar } from '../grammar';
import { splitPattern } from '../pattern';
import type { Parts } from '../roles';
import { type FamilyInFile, MAX_PARAMS, secondsIn, type TtlInFile } from './definition';
import { defaultGrammar, grammarOf } from './grammars';
import { type CatalogText, shown } from './problems';
import { checkParts, defaultSecrets } from './roles';
import type { Path } from './yaml-text';

/** A family as the file declares it, and its index there. */
export interface DeclaredFamily {
  readonly given: FamilyInFile;
  readonly index: number;
}

/** A family of a file and its index there. */
export interface BuiltFamily {
  readonly family: Family;
  readonly index: number;
}

const ttlOf = (given: TtlInFile | undefined): TtlPolicy => {
  if (given === undefined || given === 'any' || given === 'none' || given === 'persistent')
    return given ?? 'any';
  if (typeof given !== 'object') return { seconds: secondsIn(given) };
  return { minSeconds: secondsIn(given.min), maxSeconds: secondsIn(given.max) };
};

/** A title for an id: `user-sessions` → User sessions. */
export const titleOf = (id: string): string => {
  const words = id
    .replaceAll('-', ' ')
    .replace(/([a-z])([A-Z])/gu, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const MAX_CHOICES = 256;

/** Problems of a pattern and its parameters; without problems, the grammars of all parameters. */
const readPattern = (given: FamilyInFile, add: (path: Path, found: string, expected: string) => void) => {
  const { pattern, params = {} } = given;
  const refuse = (expected: string) => add(['pattern'], shown(pattern), expected);
  let split: ReturnType<typeof splitPattern>;
  try {
    split = splitPattern(pattern);
  } catch (error) {
    refuse(`a pattern such as sess:{id} (${(error as Error).message})`);
    return null;
  }
  const { names, literals } = split;
  if (names.length > MAX_PARAMS) refuse(`at most ${MAX_PARAMS} parameters`);
  if (literals[0]!.startsWith(CONSOLE_PREFIX))
    refuse(`another beginning: ${CONSOLE_PREFIX} is the console's own`);
  for (const name of Object.keys(params))
    if (!names.includes(name)) add(['params', name], `{${name}}`, `a parameter that the pattern has`);
  const grammars: Record<string, Grammar> = {};
  for (const [i, name] of names.entries()) {
    const own = Object.hasOwn(params, name) ? params[name] : undefined;
    if (typeof own === 'object' && !('oneOf' in own) && (own.min ?? 1) > (own.max ?? Infinity))
      add(['params', name], shown(own), 'a min that is not above max');
    grammars[name] = own === undefined ? defaultGrammar(literals[i + 1]!) : grammarOf(own);
  }
  const choices = Object.values(grammars).reduce(
    (product, { shape }) => product * (shape.kind === 'words' ? shape.words.length : 1),
    1,
  );
  if (choices > MAX_CHOICES)
    refuse(
      `choices (oneOf) of at most ${MAX_CHOICES} combinations in one pattern, not ${choices}; use word for some`,
    );
  const isOpen = Object.values(grammars).every(({ shape }) => shape.kind === 'text');
  if (literals.every((literal) => literal === '') && isOpen && !given.identifyingFields)
    refuse('some fixed text, a narrower grammar or identifyingFields: this pattern matches every key');
  return { names, grammars };
};

/** The id of a family in a registry. In its own file it is written without the application. */
export const qualified = (app: string, id: string): string => (id.includes('.') ? id : `${app}.${id}`);

/** A family of a file. Null where it has problems, which are added to `text`. */
export const buildFamily = (
  app: string,
  { given, index }: DeclaredFamily,
  text: CatalogText,
): BuiltFamily | null => {
  const before = text.count;
  const add = (path: Path, found: string, expected: string) =>
    text.add(['families', index, ...path], found, expected);
  const pattern = readPattern(given, add);
  if (!pattern) return null;
  const mustHave = (name: string, path: Path) => {
    if (!pattern.names.includes(name)) add(path, `{${name}}`, 'a parameter of the pattern');
  };
  checkParts(given, pattern.names, add);
  const { min, max } = typeof given.ttl === 'object' ? given.ttl : { min: 1, max: 1 };
  if (secondsIn(min) > secondsIn(max)) add(['ttl'], 'min above max', 'min up to max');
  if (given.identifyingFields && given.type !== 'hash')
    add(['identifyingFields'], `a ${given.type}`, 'a hash: only its fields can identify it');
  if (given.fields && given.type !== 'hash') add(['fields'], `a ${given.type}`, 'a hash');
  for (const [i, name] of (given.sensitive ?? []).entries()) mustHave(name, ['sensitive', i]);
  if (given.innerKey !== undefined) mustHave(given.innerKey, ['innerKey']);
  if (given.expectedNames && given.role !== 'variable')
    add(['expectedNames'], 'expected names', 'the role variable, whose names they are');
  if (text.count > before) return null;
  for (const [i, { params }] of (given.related ?? []).entries())
    for (const [target, name] of Object.entries(params)) mustHave(name, ['related', i, 'params', target]);
  const related = given.related?.filter(({ params }) =>
    Object.values(params).every((name) => pattern.names.includes(name)),
  );
  try {
    return { family: family(definitionOf(app, { ...given, related }, pattern.grammars)), index };
  } catch (error) {
    const reason = (error as Error).message.replace(/^Family \S+: /u, '');
    const isOfPattern = /parameter|ambiguous|between|brace|pattern/u.test(reason);
    if (isOfPattern) add(['pattern'], shown(given.pattern), `a pattern that splits in one way: ${reason}`);
    else add([], `the family ${given.id}`, `a valid one: ${reason}`);
    return null;
  }
};

const definitionOf = (
  app: string,
  given: FamilyInFile,
  params: Readonly<Record<string, Grammar>>,
): FamilyDefinition => {
  const { title, purpose, ttl, related, members, sensitive = [], parts, id, ...rest } = given;
  const secret = defaultSecrets(given);
  const secretParams = [...new Set([...sensitive, ...secret.sensitive])];
  return {
    ...rest,
    id: `${app}.${id}`,
    params,
    ttl: ttlOf(ttl),
    // Names of a family without secrets are shown by other rules than those of a family that may have them.
    ...(secretParams.length > 0 && { sensitive: secretParams }),
    sensitiveValue: given.sensitiveValue ?? secret.sensitiveValue,
    ...(parts && { parts: parts as Parts }),
    ...(related && {
      related: related.map((relation) => ({ ...relation, family: qualified(app, relation.family) })),
    }),
    ...(members && { members: { ...members, family: qualified(app, members.family) } }),
    title: title ?? titleOf(id),
    purpose: purpose ?? `Keys ${given.pattern} of ${app}.`,
  };
};
