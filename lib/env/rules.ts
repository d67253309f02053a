import 'server-only';
import { badField, Problem } from '@/lib/errors';
import { notStringReason, textOf } from '@/lib/values/string-value';
import { readBoolean } from '@/lib/values/style';
import { type Doubt, doubt } from './doubts';
import { doubtOf, nameDoubtOf } from './kinds';
import { NAME_LIMIT, type VariableProblem } from './schema';
import type { Part } from './secrecy';

/** Larger values can be neither edited, backed up nor undone. */
export const MAX_BYTES = 1024 * 1024;

/** Why bytes cannot be a variable's value; null if they can. */
export const refusalOf = (bytes: Buffer): string | null => {
  if (bytes.includes(0))
    return 'A value cannot contain NUL: processes do not accept it in their environment.';
  return bytes.length > MAX_BYTES ? 'A value has at most 1 MiB.' : null;
};

/** Why a value does not match its name; a guess. Bytes that are not text match the kind `text` only. */
const valueDoubtOf = (name: string, bytes: Buffer): Doubt | null => doubtOf(name, textOf(bytes) ?? '\ufffd');

interface NewValue {
  value?: string | undefined;
  valueBase64?: string | undefined;
}

/** Bytes of a new value; 400 if missing or invalid. */
export const newBytes = ({ value, valueBase64 }: NewValue): Buffer => {
  const path = valueBase64 === undefined ? 'value' : 'valueBase64';
  if ((value === undefined) === (valueBase64 === undefined))
    throw badField('value', 'Send either value or valueBase64.');
  if (value !== undefined && /\p{Cs}/u.test(value)) throw badField(path, 'Not valid Unicode text.');
  const bytes = value === undefined ? Buffer.from(valueBase64!, 'base64') : Buffer.from(value);
  const refusal = refusalOf(bytes);
  if (refusal) throw badField(path, refusal);
  return bytes;
};

/** 409 with all failed checks unless `anyway`, since these checks are guesses from the name. */
export const refuseDoubts = (doubts: readonly VariableProblem[], anyway: boolean): void => {
  if (anyway || doubts.length === 0) return;
  throw new Problem('value_doubtful', doubts.map(({ message }) => message).join(' '), {
    extensions: { doubts },
  });
};

export const nameDoubts = (name: string): VariableProblem[] => {
  const found = nameDoubtOf(name);
  return found ? [{ code: 'name', ...found }] : [];
};

export const valueDoubts = (name: string, bytes: Buffer): VariableProblem[] => {
  const found = valueDoubtOf(name, bytes);
  return found ? [{ code: 'value', ...found }] : [];
};

export const NOT_TEXT: VariableProblem = { code: 'not-text', ...doubt('notText') };

const WORDS = ['true/false', '1/0', 'on/off', 'yes/no'] as const;

const styleOf = (text: string | null): string | null =>
  text === null || readBoolean(text) === null
    ? null
    : WORDS.find((pair) => pair.split('/').includes(text.toLowerCase()))!;

/** Warns that a boolean is now stored in another format. Never a refusal. */
export const styleHint = (before: Buffer, after: Buffer): VariableProblem[] => {
  const [was, is] = [styleOf(textOf(before)), styleOf(textOf(after))];
  if (was === null || is === null || was === is) return [];
  return [{ code: 'value', ...doubt('style', { was, is }) }];
};

/** Problems of an existing variable. */
export const problemsOf = (name: string, part: Part & { ttlSeconds: number | null }): VariableProblem[] => {
  const problems: VariableProblem[] = nameDoubts(name);
  if (name.length > NAME_LIMIT) problems.push({ code: 'name', ...doubt('longName') });
  if (part.ttlSeconds !== null)
    problems.push({ code: 'ttl', message: `Has a TTL: expires in ${part.ttlSeconds} s.` });
  if (part.type !== 'string')
    return [...problems, { code: 'wrong-type', message: notStringReason(part.type) }];
  if (part.bytes.length < part.length) return [...problems, { code: 'too-large', ...tooLarge(part.length) }];
  if (textOf(part.bytes) === null) return [...problems, NOT_TEXT];
  if (part.bytes.includes(0)) return [...problems, { code: 'value', ...doubt('nul') }];
  return [...problems, ...valueDoubts(name, part.bytes)];
};

const tooLarge = (bytes: number): Doubt => doubt(bytes > MAX_BYTES ? 'tooLarge' : 'tooLong', { bytes });
