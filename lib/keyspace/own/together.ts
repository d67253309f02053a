import { APP_IDS } from '@/lib/apps';
import { COMMON_APP } from '../apps/common';
import { catalogFor } from '../apps-of';
import { encodeText } from '../bytes';
import { createLocator } from '../classify';
import type { Family } from '../family';
import { overlapsWithin } from '../overlaps';
import { relationFault } from '../relations';
import { type FamilyRole, ruleOf } from '../roles';
import { checkEntityAt } from './entities';
import { shown } from './problems';
import type { ReadFile } from './read';
import type { Path } from './yaml-text';

/** Maximum number of families to try for one key; each costs one pass over it. */
const MAX_CANDIDATES = 64;

interface Placed {
  readonly family: Family;
  readonly file: ReadFile;
  readonly index: number;
}

type Add = (path: Path, found: string, expected: string) => void;
const at =
  ({ file, index }: Placed): Add =>
  (path, found, expected) =>
    file.text.add(['families', index, ...path], found, expected);

const prefixOf = ({ compiled }: Family): string => Buffer.from(compiled.literals[0]!).toString('latin1');

const checkApps = (files: readonly ReadFile[]): void => {
  const seen = new Map<string, string>();
  for (const { app, text, path } of files) {
    if (app === '') continue;
    if (app === 'console' || app === COMMON_APP || (APP_IDS as readonly string[]).includes(app))
      text.add(['app'], shown(app), 'another name: the console knows an application of this name');
    const other = seen.get(app);
    if (other !== undefined) text.add(['app'], shown(app), `another name: ${other} has it too`);
    else seen.set(app, path);
  }
};

const checkIds = (files: readonly ReadFile[]): void => {
  for (const { declared, text } of files) {
    const seen = new Set<string>();
    for (const { id, index } of declared) {
      const name = shown(id.slice(id.indexOf('.') + 1));
      if (seen.has(id)) text.add(['families', index, 'id'], `${name} again`, 'an id of its own');
      seen.add(id);
    }
  }
};

const checkRoles = (placed: readonly Placed[]): void => {
  const seen = new Map<FamilyRole, Placed>();
  for (const entry of placed) {
    const { role } = entry.family;
    if (!role || !ruleOf(role).single) continue;
    const first = seen.get(role);
    if (first) at(entry)(['role'], `a second ${role}`, `another role: ${first.family.id} is the ${role}`);
    else seen.set(role, entry);
  }
};

/** A file of a thousand patterns with a common beginning would make each key cost a thousand passes. */
const checkCandidates = (placed: readonly Placed[]): boolean => {
  const counts = new Map<string, number>();
  const add = (prefix: string) => counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
  for (const { family } of placed) add(prefixOf(family));
  for (const entry of placed) {
    const prefix = prefixOf(entry.family);
    let candidates = 0;
    for (let length = 0; length <= prefix.length; length++)
      candidates += counts.get(prefix.slice(0, length)) ?? 0;
    if (candidates <= MAX_CANDIDATES) continue;
    const found = `one of ${candidates} patterns that can match a key with this beginning`;
    at(entry)(['pattern'], found, `${MAX_CANDIDATES} at most: begin patterns with more fixed text`);
    return false;
  }
  return true;
};

/**
 * Maximum number of cells, 4 bytes each, in the table that finds a key's families: one per beginning and character in
 * use.
 */
const MAX_CELLS = 4_000_000;

/** A file of long beginnings would take hundreds of megabytes. */
const checkBeginnings = (placed: readonly Placed[]): boolean => {
  const beginnings = new Set<string>();
  const characters = new Set<string>();
  for (const entry of placed) {
    const prefix = prefixOf(entry.family);
    for (let length = 1; length <= prefix.length; length++) {
      beginnings.add(prefix.slice(0, length));
      characters.add(prefix.charAt(length - 1));
    }
    if (beginnings.size * characters.size <= MAX_CELLS) continue;
    const found = `${beginnings.size} characters of fixed text at the beginnings of patterns up to here`;
    at(entry)(['pattern'], found, 'less: fewer patterns, or shorter beginnings');
    return false;
  }
  return true;
};

/** Two families with equally literal patterns and a common key: only the order of their ids would decide. */
const checkShapes = (placed: readonly Placed[]): void => {
  const groups = new Map<string, Placed[]>();
  for (const entry of placed) {
    const { compiled } = entry.family;
    const shape = `${compiled.literalBytes} ${prefixOf(entry.family)}`;
    groups.set(shape, [...(groups.get(shape) ?? []), entry]);
  }
  const budget = { states: 3_000_000 };
  for (const group of groups.values()) {
    for (const [first, second, example] of overlapsWithin(
      group.map(({ family }) => family),
      budget,
    )) {
      const later = group.find(({ family }) => family === second)!;
      const key = example === null ? 'keys' : `keys such as ${shown(example)}`;
      at(later)(
        ['pattern'],
        shown(second.pattern),
        `a pattern that is more literal than that of ${first.id}, or shares no key with it: both match ${key}`,
      );
    }
  }
};

interface Known {
  readonly families: ReadonlyMap<string, Family>;
  /** Includes families with problems. */
  isDeclared(id: string): boolean;
}

const checkRelation = (
  { family, params }: { family: string; params: readonly string[] },
  complete: boolean,
  { families, isDeclared }: Known,
  add: Add,
): void => {
  const target = families.get(family);
  if (!target) {
    if (isDeclared(family)) return;
    add(['family'], shown(family), 'a family of this file, or of a known application ({application}.{id})');
    return;
  }
  const name = complete ? 'params' : 'param';
  const known = target.paramNames.map((name) => `{${name}}`).join(', ') || 'none';
  const unknown = params.find((name) => !target.paramNames.includes(name));
  const missing = complete ? target.paramNames.find((name) => !params.includes(name)) : undefined;
  if (unknown !== undefined) add([name], `{${unknown}}`, `a parameter of ${target.id}: ${known}`);
  else if (missing !== undefined) add([name], `no {${missing}}`, `every parameter of ${target.id}: ${known}`);
};

/** A secret in this family's keys would be shown in the other family's keys. */
const checkSecrets = (
  { sensitive = [] }: Family,
  { family, params }: { family: Family | undefined; params: Readonly<Record<string, string>> },
  add: Add,
): void => {
  for (const [name, own] of Object.entries(params)) {
    if (!sensitive.includes(own) || !family?.paramNames.includes(name) || family.sensitive?.includes(name))
      continue;
    add(['params', name], `{${own}}, a secret`, `a parameter that is sensitive in ${family.id} too`);
  }
};

/** The families that files may refer to: their own, and those of the known applications. */
const knownFamilies = (placed: readonly Placed[]): Map<string, Family> => {
  const known = catalogFor(APP_IDS).families.filter(({ app }) => app !== 'console');
  return new Map([...known, ...placed.map(({ family }) => family)].map((family) => [family.id, family]));
};

const checkEntities = (files: readonly ReadFile[], families: ReadonlyMap<string, Family>): void => {
  const seen = new Set<string>();
  for (const { entities, text } of files) {
    const kinds = (kind: string) => entities.find(({ entity }) => entity.kind === kind)?.entity;
    for (const built of entities) {
      const { kind } = built.entity;
      if (seen.has(kind))
        text.add(['entities', built.index, 'kind'], `${shown(kind)} again`, 'a kind of its own');
      seen.add(kind);
      checkEntityAt(built, families, kinds, text);
    }
  }
};

const checkRelations = (
  placed: readonly Placed[],
  files: readonly ReadFile[],
  families: ReadonlyMap<string, Family>,
): void => {
  const declared: Known = {
    families,
    isDeclared: (id) => files.some(({ declared: all }) => all.some((family) => family.id === id)),
  };
  for (const pattern of placed) {
    const { related = [], members } = pattern.family;
    for (const [i, { family, params }] of related.entries()) {
      const add: Add = (path, found, expected) => at(pattern)(['related', i, ...path], found, expected);
      checkRelation({ family, params: Object.keys(params) }, true, declared, add);
      const fault = relationFault(pattern.family, { family, params });
      if (fault) add([], shown(family), `another relation: ${fault}`);
      checkSecrets(pattern.family, { family: families.get(family), params }, add);
    }
    if (!members) continue;
    const add: Add = (path, found, expected) => at(pattern)(['members', ...path], found, expected);
    checkRelation({ family: members.family, params: [members.param] }, false, declared, add);
  }
};

const checkExamples = (placed: readonly Placed[]): void => {
  const locate = createLocator(placed.map(({ family }) => family));
  for (const pattern of placed) {
    const { family } = pattern;
    for (const [i, example] of (family.examples ?? []).entries()) {
      const key = encodeText(example);
      const owner = locate(key).family;
      if (family.parse(key) === null)
        at(pattern)(['examples', i], shown(example), `a key of ${family.pattern}`);
      else if (owner !== family)
        at(pattern)(
          ['examples', i],
          `${shown(example)}, which belongs to ${owner?.id}`,
          'a key of this family',
        );
    }
  }
};

/** Adds the problems that involve all families, of one file or of all files of a connection. */
export const checkTogether = (files: readonly ReadFile[]): void => {
  checkApps(files);
  checkIds(files);
  const placed = files.flatMap((file) => file.families.map((built) => ({ ...built, file })));
  checkRoles(placed);
  const known = knownFamilies(placed);
  checkRelations(placed, files, known);
  // An entity would get a problem for each branch of an invalid family.
  if (files.every(({ text }) => text.count === 0)) checkEntities(files, known);
  // Beyond the bounds there is too much to build and to compare.
  if (!checkBeginnings(placed)) return;
  checkExamples(placed);
  if (checkCandidates(placed)) checkShapes(placed);
};
