import 'server-only';
import type { Family, TtlPolicy } from '@/lib/catalog/family';
import { ruleOf } from '@/lib/catalog/roles';
import { ttlInWords } from '@/lib/catalog/ttl-in-words';
import type { ReadContext } from '@/lib/command/context';
import type { KeyIdentity } from './identity';
import type { KeyFacts } from './rows';
import type { KeyDetails } from './schema';

type Drift = KeyDetails['drift'];

/** TYPE of RedisTimeSeries. */
const SERVER_TYPES: Record<string, string> = { timeseries: 'TSDB-TYPE' };

export const documentedType = ({ type, otherTypes = [] }: Family): string =>
  [type, ...otherTypes].join(' or ');

const fitsType = ({ type, otherTypes = [] }: Family, found: string): boolean =>
  [type, ...otherTypes].some((one) => (SERVER_TYPES[one] ?? one) === found);

/** A TTL that has run for a while is shorter than the documented one, never longer. */
const fitsTtl = (ttl: TtlPolicy, found: number | null): boolean => {
  if (ttl === 'any') return true;
  if (ttl === 'persistent' || ttl === 'none') return found === null;
  return found !== null && found <= ('seconds' in ttl ? ttl.seconds : ttl.maxSeconds);
};

/** Fields that a hash of this family must have. */
const requiredFields = (family: Family): string[] => {
  const rules = family.role ? ruleOf(family.role).parts : {};
  const ofRole = Object.entries(family.parts).flatMap(([name, part]) =>
    'field' in part && !rules[name]?.optional && !part.field.includes('.') ? [part.field] : [],
  );
  return [...new Set([...(family.identifyingFields ?? []), ...ofRole])];
};

/** How a key differs from what the catalog says of its family. */
export const readDrift = async (
  { reader }: Pick<ReadContext, 'reader'>,
  { key, family, state }: KeyIdentity,
  facts: KeyFacts,
): Promise<Drift> => {
  if (!family || state !== 'classified') return [];
  const drift: Drift = [];
  const isType = fitsType(family, facts.type);
  if (!isType) drift.push({ what: 'type', documented: documentedType(family), found: facts.type });
  if (!fitsTtl(family.ttl, facts.ttlSeconds))
    drift.push({
      what: 'ttl',
      documented: ttlInWords(family.ttl),
      found: ttlInWords(facts.ttlSeconds === null ? 'persistent' : { seconds: facts.ttlSeconds }),
    });
  const fields = facts.type === 'hash' && isType ? requiredFields(family) : [];
  const lengths = await reader.readMany(fields.map((field) => ['HSTRLEN', key, field] as const));
  for (const [i, field] of fields.entries())
    if (lengths[i] === 0) drift.push({ what: 'field', documented: field, found: '—' });
  return drift;
};
