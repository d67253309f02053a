import { type FamilyRole, type Part, type PartKind, paramsWanted, partKind, ruleOf } from '../roles';
import type { FamilyInFile } from './definition';
import { shown } from './problems';
import type { Path } from './yaml-text';

type Add = (path: Path, found: string, expected: string) => void;

type FamilyParts = NonNullable<FamilyInFile['parts']>;

const FORMS: Record<PartKind, string> = {
  param: '{ param: … }',
  field: '{ field: … }',
  member: '{ member: … }',
  value: '{ value: … }',
};

const oneOf = (kinds: readonly PartKind[]): string => kinds.map((kind) => FORMS[kind]).join(' or ');

/** Adds a problem for everything that `checkRole` refuses, each at its place. */
export const checkParts = (given: FamilyInFile, paramNames: readonly string[], add: Add): void => {
  const { role, parts = {} } = given;
  if (role === undefined) {
    if (given.parts) add(['parts'], 'parts', 'a role that has them');
    return;
  }
  const rule = ruleOf(role);
  const names = Object.keys(rule.parts);
  const wanted = paramsWanted(role, paramNames);
  if (wanted)
    add(['pattern'], shown(given.pattern), `a pattern with ${wanted} in braces, because it is a ${role}`);
  if (!rule.types.includes(given.type))
    add(['type'], given.type, `${rule.types.join(' or ')}, because it is a ${role}`);
  for (const [name, { from, optional }] of Object.entries(rule.parts))
    if (!optional && !Object.hasOwn(parts, name))
      add(given.parts ? ['parts'] : ['role'], `no part ${name}`, `a ${role} with ${name}: ${oneOf(from)}`);
  for (const [name, part] of Object.entries(parts)) {
    const allowed = names.includes(name) ? rule.parts[name] : undefined;
    if (!allowed) {
      const known = names.length === 0 ? 'no parts' : `one of ${names.join(', ')}`;
      add(['parts', name], `the part ${name}`, `${known}, because it is a ${role}`);
    } else if (!allowed.from.includes(partKind(part as Part)))
      add(['parts', name], FORMS[partKind(part as Part)], oneOf(allowed.from));
    if ('param' in part && !paramNames.includes(part.param))
      add(['parts', name, 'param'], `{${part.param}}`, `a parameter of the pattern: ${listed(paramNames)}`);
    if (name !== 'token' && 'param' in part && isTokenParam(parts.token, part.param))
      add(['parts', name, 'param'], `{${part.param}}`, 'another one: it is the token, which no page shows');
    if ('unit' in part && part.unit !== undefined && allowed && !allowed.time)
      add(['parts', name, 'unit'], part.unit, 'no unit, because it is no time');
  }
};

const isTokenParam = (token: FamilyParts[string] | undefined, param: string): boolean =>
  token !== undefined && 'param' in token && token.param === param;

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'it has none' : names.map((name) => `{${name}}`).join(', ');

/** Roles whose values are secrets, or lists of secrets, unless the file declares otherwise. */
const SECRET_VALUES: ReadonlySet<FamilyRole> = new Set([
  'session-index',
  'legacy-session',
  'access-token',
  'refresh-token',
  'verification-token',
  'variable',
]);

/** What is masked although the file does not declare it, so that a short file is safe. */
export const defaultSecrets = ({ role, parts, type }: FamilyInFile) => {
  const token = parts?.token;
  return {
    sensitive: token && 'param' in token ? [token.param] : [],
    // A hash has fields to show; its secret ones are masked by their names.
    sensitiveValue: role !== undefined && SECRET_VALUES.has(role) && type !== 'hash',
  };
};
