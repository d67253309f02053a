import 'server-only';
import { badInput, Problem } from '@/lib/errors';
import { noString, textOf } from '@/lib/values/string-value';
import { readBoolean } from '@/lib/values/style';
import { doubtOf, nameDoubtOf } from './kinds';
import { NAME_LIMIT, type VariableProblem } from './schema';
import type { Part } from './secrecy';

/** A larger value is nobody's to edit here: it is shown as such, and kept by no backup or undo. */
export const MAX_BYTES = 1024 * 1024;

/** Why bytes cannot be a variable's value at all; null where they can. */
export const refusalOf = (bytes: Buffer): string | null => {
  if (bytes.includes(0)) return 'A value cannot hold NUL: no process takes it in its environment.';
  return bytes.length > MAX_BYTES ? 'A value has 1 MiB at most.' : null;
};

/** Why a value is not what the name promises: a guess. Bytes that are no text fit a variable of text only. */
export const valueDoubtOf = (name: string, bytes: Buffer): string | null =>
  doubtOf(name, textOf(bytes) ?? '\ufffd');

interface NewValue {
  value?: string | undefined;
  valueBase64?: string | undefined;
}

/** The bytes a caller wants to save. 400 where there are none, or they cannot be a value. */
export const newBytes = ({ value, valueBase64 }: NewValue): Buffer => {
  const path = valueBase64 === undefined ? 'value' : 'valueBase64';
  if ((value === undefined) === (valueBase64 === undefined))
    throw badInput([{ path: 'value', message: 'Send either value or valueBase64.' }]);
  if (value !== undefined && /\p{Cs}/u.test(value))
    throw badInput([{ path, message: 'This is no valid Unicode text.' }]);
  const bytes = value === undefined ? Buffer.from(valueBase64!, 'base64') : Buffer.from(value);
  const refusal = refusalOf(bytes);
  if (refusal) throw badInput([{ path, message: refusal }]);
  return bytes;
};

/** 409 with every reason, unless the caller wants it anyway: these rules are guesses from the name. */
export const refuseDoubts = (doubts: readonly VariableProblem[], anyway: boolean): void => {
  if (anyway || doubts.length === 0) return;
  throw new Problem('value_doubtful', doubts.map(({ message }) => message).join(' '), {
    extensions: { doubts },
  });
};

export const nameDoubts = (name: string): VariableProblem[] => {
  const message = nameDoubtOf(name);
  return message ? [{ code: 'name', message }] : [];
};

export const valueDoubts = (name: string, bytes: Buffer): VariableProblem[] => {
  const message = valueDoubtOf(name, bytes);
  return message ? [{ code: 'value', message }] : [];
};

export const noText: VariableProblem = { code: 'not-text', message: 'Its bytes are no UTF-8 text.' };

const WORDS = ['true/false', '1/0', 'on/off', 'yes/no'] as const;

const styleOf = (text: string | null): string | null =>
  text === null || readBoolean(text) === null
    ? null
    : WORDS.find((pair) => pair.split('/').includes(text.toLowerCase()))!;

/** A hint, never a refusal: a boolean is now written in another style than before. */
export const styleHint = (before: Buffer, after: Buffer): VariableProblem[] => {
  const [was, is] = [styleOf(textOf(before)), styleOf(textOf(after))];
  if (was === null || is === null || was === is) return [];
  return [{ code: 'value', message: `It was written ${was} before and is ${is} now.` }];
};

/** What is wrong with a variable as it stands. */
export const problemsOf = (name: string, part: Part & { ttlSeconds: number | null }): VariableProblem[] => {
  const problems: VariableProblem[] = nameDoubts(name);
  if (name.length > NAME_LIMIT)
    problems.push({ code: 'name', message: 'It is too long a name to be changed here.' });
  if (part.ttlSeconds !== null)
    problems.push({ code: 'ttl', message: `It carries a TTL and is gone in ${part.ttlSeconds} s.` });
  if (part.type !== 'string') return [...problems, { code: 'wrong-type', message: noString(part.type) }];
  if (part.bytes.length < part.length)
    return [...problems, { code: 'too-large', message: tooLarge(part.length) }];
  if (textOf(part.bytes) === null) return [...problems, noText];
  if (part.bytes.includes(0))
    return [
      ...problems,
      { code: 'value', message: 'It holds NUL, which no process takes in its environment.' },
    ];
  return [...problems, ...valueDoubts(name, part.bytes)];
};

const tooLarge = (length: number): string =>
  length > MAX_BYTES
    ? `It has ${length} bytes: too large to be shown or edited here.`
    : `It has ${length} bytes: too large for the list, reveal it to see it whole.`;
