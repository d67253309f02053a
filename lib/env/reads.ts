import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { iso, isoOrNull } from '@/lib/time';
import { type ChangeNote, readChangeNotes } from '@/lib/values/change-notes';
import { knownNames } from '@/lib/values/known-names';
import type { NamedKey } from '@/lib/values/named-keys';
import { readValues, type StoredValue } from '@/lib/values/string-value';
import { namedVariables, variableFamily } from '@/lib/values/variable-names';
import { categoryOf, inCategories } from './categories';
import { kindOf } from './kinds';
import { problemsOf } from './rules';
import { type envContracts, NAME_LIMIT, type Variable } from './schema';
import { fullText, secretBy } from './secrecy';

/** A value as users with `env:view` see it; nothing of a secret value. */
export const openValue = (
  name: string,
  value: StoredValue,
): Pick<Variable, 'secret' | 'secretBy' | 'value' | 'valueBase64'> => {
  const by = secretBy(name, value);
  const complete = value.type === 'string' && value.bytes.length === value.length;
  const text = by ? null : fullText(value);
  const bytes =
    by === null && complete && text === null ? { valueBase64: value.bytes.toString('base64') } : {};
  return { secret: by !== null, secretBy: by, value: text, ...bytes };
};

/** Last change through Keyward, if the value is still the one set then. */
export const lastChange = (
  note: ChangeNote | null,
  etag: string,
): Pick<Variable, 'updatedAt' | 'updatedBy'> => {
  const known = note?.etag === etag ? note : null;
  return { updatedAt: isoOrNull(known?.at), updatedBy: known?.by ?? null };
};

const shownName = (name: string): string =>
  name.length > NAME_LIMIT ? `${name.slice(0, NAME_LIMIT)}…` : name;

const toVariable = ({ name }: NamedKey, value: StoredValue, note: ChangeNote | null): Variable => ({
  name: shownName(name),
  category: categoryOf(name),
  kind: kindOf(name),
  ...openValue(name, value),
  lengthBytes: value.length,
  type: value.type,
  ttlSeconds: value.ttlSeconds,
  problems: problemsOf(name, value),
  etag: value.etag,
  ...lastChange(note, value.etag),
});

/** Values read per batch, each up to 64 KiB. */
const BATCH_SIZE = 250;

/** Reads these variables; deleted ones are left out. */
const readVariables = async (ctx: ReadContext, named: readonly NamedKey[]): Promise<Variable[]> => {
  const variables: Variable[] = [];
  for (let from = 0; from < named.length; from += BATCH_SIZE) {
    const batch = named.slice(from, from + BATCH_SIZE);
    const [values, notes] = await Promise.all([
      readValues(
        ctx.reader,
        batch.map(({ key }) => key),
      ),
      readChangeNotes(
        ctx,
        batch.map(({ name }) => name),
      ),
    ]);
    batch.forEach((each, index) => {
      const value = values[index];
      if (value) variables.push(toVariable(each, value, notes[index] ?? null));
    });
  }
  return variables;
};

/** Searches names and visible values; secrets are found by name only. */
const matcher = (q: string | undefined): ((name: string, value?: string | null) => boolean) => {
  const wanted = q?.trim().toLowerCase() ?? '';
  return (name, value = null) =>
    name.toLowerCase().includes(wanted) || (value?.toLowerCase().includes(wanted) ?? false);
};

/** env.list: variables by category, secrets masked, and documented variables that are not set. */
export const listVariables: ReadOf<typeof envContracts.list> = async (ctx, { q }) => {
  const known = await knownNames(ctx, namedVariables(ctx));
  const variables = await readVariables(ctx, known.names);
  const existing = new Set(variables.map(({ name }) => name));
  const matches = matcher(q);
  return {
    groups: inCategories(variables.filter(({ name, value }) => matches(name, value))),
    missing: (variableFamily(ctx).expectedNames ?? [])
      .filter((name) => !existing.has(name) && matches(name))
      .map((name) => ({ name, category: categoryOf(name) })),
    total: variables.length,
    indexedAt: iso(known.at),
    complete: known.complete,
  };
};
