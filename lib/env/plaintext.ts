import 'server-only';
import type { ReadContext, RecordedReadContext } from '@/lib/command/context';
import { defineRecordedRead } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import type { NamedKey } from '@/lib/values/named-keys';
import { notStringReason, readValues, type StoredValue } from '@/lib/values/string-value';
import { variableKey, variableNames } from '@/lib/values/variable-names';
import { readEditable, variableNotFound } from './changes';
import { isDotenvName, writeDotenv } from './dotenv';
import { MAX_BYTES } from './rules';
import { envContracts } from './schema';
import { auditName, fullText, secretBy } from './secrecy';

/** Reads a value that can be shown: a string of at most 1 MiB. */
const readShowable = async (ctx: RecordedReadContext, key: Key | null): Promise<StoredValue> => {
  const value = key ? await readEditable(ctx, key) : null;
  if (!value) throw variableNotFound();
  if (value.type !== 'string') throw new Problem('conflict', notStringReason(value.type));
  if (value.bytes.length < value.length)
    throw new Problem('conflict', `This value has ${value.length} bytes: too large to show.`);
  return value;
};

/** env.reveal: one plaintext value. The audit log records who read it and why, never the value. */
export const revealVariable = defineRecordedRead({
  contract: envContracts.reveal,
  target: ({ name }) => auditName(name),
  redact: ({ name }) => ({ name: auditName(name) }),
  run: async (ctx, { name }) => {
    const value = await readShowable(ctx, variableKey(ctx, name));
    const text = fullText(value);
    const bytes = text === null ? value.bytes.toString('base64') : null;
    return { result: { name, value: text, valueBase64: bytes, etag: value.etag } };
  },
});

export interface Skipped {
  name: string;
  why: string;
}

/** Values read per batch, each up to 1 MiB. */
const BATCH_SIZE = 50;

/** Why a value cannot be copied in full; null if it can. */
const whyNotCopied = ({ type, bytes, length }: StoredValue): string | null => {
  if (type !== 'string') return notStringReason(type);
  return bytes.length < length ? `${length} bytes, more than 1 MiB.` : null;
};

/** Reads all variables that can be copied in full; skipped ones have a reason. 409 beyond `maxBytes` in total. */
export const readAll = async (
  ctx: ReadContext,
  maxBytes: number,
): Promise<{ variables: (NamedKey & { value: StoredValue })[]; skipped: Skipped[] }> => {
  const named = await variableNames(ctx, { fresh: true });
  const variables: (NamedKey & { value: StoredValue })[] = [];
  const skipped: Skipped[] = [];
  let bytes = 0;
  for (let from = 0; from < named.length; from += BATCH_SIZE) {
    const batch = named.slice(from, from + BATCH_SIZE);
    const keys = batch.map(({ key }) => key);
    const values = await readValues(ctx.reader, keys, MAX_BYTES);
    batch.forEach((each, index) => {
      const value = values[index];
      if (!value) return;
      const why = whyNotCopied(value);
      if (why) skipped.push({ name: each.name, why });
      else variables.push({ ...each, value });
      bytes += why ? 0 : value.length;
    });
    if (bytes > maxBytes)
      throw new Problem('conflict', `The values exceed ${maxBytes / 2 ** 20} MiB in total.`);
  }
  return { variables, skipped };
};

/** Total bytes of values in one export, so that an import accepts it. */
const MAX_EXPORTED = 8 * 2 ** 20;

/** Why a variable cannot be written as dotenv text; null if it can. */
const whyNotWritten = (name: string, text: string | null): string | null => {
  if (!isDotenvName(name)) return 'Its name is not valid in dotenv text.';
  if (text === null) return 'Not UTF-8 text.';
  return text.includes('\0') ? 'Contains NUL.' : null;
};

const exportVariables = async (ctx: RecordedReadContext, { secrets }: Input<typeof envContracts.export>) => {
  const { variables, skipped } = await readAll(ctx, MAX_EXPORTED);
  const entries: { name: string; value: string }[] = [];
  for (const { name, value } of variables) {
    const text = fullText(value);
    const why = !secrets && secretBy(name, value) !== null ? 'Secret.' : whyNotWritten(name, text);
    if (why) skipped.push({ name, why });
    else entries.push({ name, value: text! });
  }
  return {
    result: { text: writeDotenv(entries), variables: entries.length, skipped },
    after: { variables: entries.length, skipped: skipped.length, secrets },
  };
};

/** env.export: all variables as dotenv text. Lists those it could not write. */
export const exportVariablesCommand = defineRecordedRead({
  contract: envContracts.export,
  target: ({ secrets }) => (secrets ? 'all variables' : 'non-secret variables'),
  redact: ({ secrets }) => ({ secrets }),
  run: exportVariables,
});
