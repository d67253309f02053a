import type { Family, TtlPolicy } from './family';
import { ruleOf } from './roles';

/** Types that Redis and the catalog name differently. */
const NAMES: Record<string, string> = { 'TSDB-TYPE': 'timeseries' };

/** The catalog's name of a type returned by TYPE. */
export const storedType = (type: string): string => NAMES[type] ?? type;

type Types = Pick<Family, 'type' | 'otherTypes'>;

export const documentedType = ({ type, otherTypes = [] }: Types): string =>
  [type, ...otherTypes].join(' or ');

/** Whether the catalog documents a stored type, given by its name in the catalog. */
export const isDocumentedType = ({ type, otherTypes = [] }: Types, stored: string): boolean =>
  [type, ...otherTypes].some((documented) => documented === stored);

/** How a key's TTL differs from the documented one, in the words of all pages. */
export const TTL_FAULTS = { missing: 'no TTL', longer: 'longer TTL', unexpected: 'a TTL' } as const;
export type TtlFault = keyof typeof TTL_FAULTS;

/** A TTL read just after it was set may be slightly longer, because clocks differ. */
const TOLERANCE_MS = 1000;

/** A TTL that has run for a while is shorter than the documented one, never longer. `ms`: null without a TTL. */
export const ttlFault = (policy: TtlPolicy, ms: number | null): TtlFault | null => {
  if (policy === 'any') return null;
  if (typeof policy === 'string') return ms === null ? null : 'unexpected';
  if (ms === null) return 'missing';
  const seconds = 'seconds' in policy ? policy.seconds : policy.maxSeconds;
  return ms > seconds * 1000 + TOLERANCE_MS ? 'longer' : null;
};

interface DocumentedField {
  /** The documented name first, then accepted alternatives. */
  readonly names: readonly [string, ...string[]];
  /** Whether the family's role works without it. */
  readonly optional: boolean;
}

/** The fields of a family's hashes: those it declares, and those its role reads. */
export const documentedFields = (family: Family): readonly DocumentedField[] => {
  const { type, parts, role, fields = [], identifyingFields = [] } = family;
  if (type !== 'hash') return [];
  const known = new Set([...identifyingFields, ...fields]);
  const rules = role ? ruleOf(role).parts : {};
  const ofRole = new Map<string, DocumentedField>();
  for (const [name, part] of Object.entries(parts)) {
    if (!('field' in part) || part.field.includes('.') || known.has(part.field)) continue;
    const optional = (rules[name]?.optional ?? false) && (ofRole.get(part.field)?.optional ?? true);
    ofRole.set(part.field, { names: [part.field, ...(part.or ?? [])], optional });
  }
  return [...[...known].map((field) => ({ names: [field] as const, optional: false })), ...ofRole.values()];
};
