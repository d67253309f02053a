import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { KeyIdentity } from '@/lib/key-values/identity';
import {
  documentedFields,
  documentedType,
  isDocumentedType,
  storedType,
  TTL_FAULTS,
  ttlFault,
} from '@/lib/keyspace/drift-rules';
import type { TtlPolicy } from '@/lib/keyspace/family';
import { ttlInWords } from '@/lib/keyspace/ttl-in-words';
import { SECOND } from '@/lib/time';
import { readEach } from '@/lib/values/read-each';
import type { KeyFacts } from './rows';
import type { KeyDetails } from './schema';

type Drift = KeyDetails['drift'];

const ttlDrift = (policy: TtlPolicy, seconds: number | null): Drift => {
  const fault = ttlFault(policy, seconds === null ? null : seconds * SECOND);
  if (fault === null) return [];
  const found = seconds === null ? TTL_FAULTS[fault] : ttlInWords({ seconds });
  return [{ what: 'ttl', documented: ttlInWords(policy), found }];
};

/** How a key differs from what the catalog says of its family. */
export const readDrift = async (
  { reader }: Pick<ReadContext, 'reader'>,
  { key, family, state }: KeyIdentity,
  facts: KeyFacts,
): Promise<Drift> => {
  if (!family || state !== 'classified') return [];
  const type = storedType(facts.type);
  const drift = ttlDrift(family.ttl, facts.ttlSeconds);
  if (!isDocumentedType(family, type))
    return [{ what: 'type', documented: documentedType(family), found: type }, ...drift];
  const fields = type === 'hash' ? documentedFields(family).filter(({ optional }) => !optional) : [];
  const lengths = await readEach(reader, fields, ({ names }) =>
    names.map((field) => ['HSTRLEN', key, field] as const),
  );
  for (const [i, { names }] of fields.entries())
    if (lengths[i]!.every((length) => length === 0))
      drift.push({ what: 'field', documented: names[0], found: 'missing' });
  return drift;
};
