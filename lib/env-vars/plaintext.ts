import 'server-only';
import type { ReadContext, RecordedReadContext } from '@/lib/command/context';
import { defineRecordedRead } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { noString, readValues, type StoredValue } from '@/lib/values/string-value';
import { type NamedVariable, variableKey, variableNames } from '@/lib/values/variable-names';
import { gone, readEditable } from './changes';
import { isDotenvName, writeDotenv } from './dotenv';
import { MAX_BYTES } from './rules';
import { envContracts } from './schema';
import { auditName, fullText, secretBy } from './secrecy';

/** The variable as it is now, if it can be shown: a string of 1 MiB at most. */
const readShowable = async (ctx: RecordedReadContext, key: Key | null): Promise<StoredValue> => {
  const value = key ? await readEditable(ctx, key) : null;
  if (!value) throw gone();
  if (value.type !== 'string') throw new Problem('conflict', noString(value.type));
  if (value.bytes.length < value.length)
    throw new Problem('conflict', `This value has ${value.length} bytes: too large to be shown.`);
  return value;
};

/** One value in the clear. The log keeps that it was shown to whom and why, never what. */
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

/** Values are read so many at a time: they may have 1 MiB each. */
const BATCH_SIZE = 50;

/** What keeps a variable from being copied as a whole; null where nothing does. */
const whyNotCopied = ({ type, bytes, length }: StoredValue): string | null => {
  if (type !== 'string') return noString(type);
  return bytes.length < length ? `It has ${length} bytes: more than 1 MiB.` : null;
};

/**
 * Every variable whose value can be copied whole, read now, and the others with the reason. 409 beyond `mostBytes` of
 * values together.
 */
export const readAll = async (
  ctx: ReadContext,
  mostBytes: number,
): Promise<{ variables: (NamedVariable & { value: StoredValue })[]; skipped: Skipped[] }> => {
  const named = await variableNames(ctx, { fresh: true });
  const variables: (NamedVariable & { value: StoredValue })[] = [];
  const skipped: Skipped[] = [];
  let bytes = 0;
  for (let from = 0; from < named.length; from += BATCH_SIZE) {
    const some = named.slice(from, from + BATCH_SIZE);
    const keys = some.map(({ key }) => key);
    const values = await readValues(ctx.reader, keys, MAX_BYTES);
    some.forEach((each, index) => {
      const value = values[index];
      if (!value) return;
      const why = whyNotCopied(value);
      if (why) skipped.push({ name: each.name, why });
      else variables.push({ ...each, value });
      bytes += why ? 0 : value.length;
    });
    if (bytes > mostBytes)
      throw new Problem('conflict', `The values have more than ${mostBytes / 2 ** 20} MiB together.`);
  }
  return { variables, skipped };
};

/** What an import takes back at most. */
const MAX_EXPORTED = 8 * 2 ** 20;

/** Why a variable cannot stand in dotenv text; null where it can. */
const whyNotWritten = (name: string, text: string | null): string | null => {
  if (!isDotenvName(name)) return 'Its name is none that dotenv text can hold.';
  if (text === null) return 'Its bytes are no UTF-8 text.';
  return text.includes('\0') ? 'It holds NUL.' : null;
};

const exportVariables = async (ctx: RecordedReadContext, { secrets }: Input<typeof envContracts.export>) => {
  const { variables, skipped } = await readAll(ctx, MAX_EXPORTED);
  const entries: { name: string; value: string }[] = [];
  for (const { name, value } of variables) {
    const text = fullText(value);
    const why = !secrets && secretBy(name, value) !== null ? 'It is secret.' : whyNotWritten(name, text);
    if (why) skipped.push({ name, why });
    else entries.push({ name, value: text! });
  }
  return {
    result: { text: writeDotenv(entries), variables: entries.length, skipped },
    after: { variables: entries.length, skipped: skipped.length, secrets },
  };
};

/** All variables as dotenv text; what such text cannot hold is told, not left out in silence. */
export const exportVariablesCommand = defineRecordedRead({
  contract: envContracts.export,
  target: ({ secrets }) => (secrets ? 'all variables' : 'variables that are no secret'),
  redact: ({ secrets }) => ({ secrets }),
  run: exportVariables,
});
