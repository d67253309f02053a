import 'server-only';
import { Problem } from '@/lib/errors';
import { answerIn, isRefusal } from './failure';

/** Refusals of servers, in words that contain no argument. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^WRONGTYPE/, 'The key holds a value of another type than this command works on'],
  [/^NOGROUP|no such group/i, 'The stream has no such group'],
  [/^BUSYGROUP/, 'The group exists already'],
  [/^BUSYKEY/, 'A key of this name exists already'],
  [/^EXECABORT/, 'Another command of the same transaction was refused'],
  [/module (key|type)|module data type/i, 'The command does not work on keys of modules'],
  [/bad data format|payload version|checksum/i, 'The value is damaged, or comes from a newer server'],
  [/syntax error/i, 'These arguments do not fit together'],
  [/not an integer|value is out of range/i, 'A number is not an integer, or out of range'],
  [/not a valid float|not a float/i, 'A number is not valid'],
  [/min or max/i, 'The ends of the range are not valid'],
  [/would overflow|would produce NaN|not a number/i, 'The result would be out of range'],
  [/no such key|key does not exist/i, 'The key does not exist'],
  [/index out of range/i, 'The list has no such place'],
  [/invalid cursor/i, 'The cursor is not valid'],
  [/invalid expire time|invalid TTL/i, 'The expiry is not valid'],
  [/invalid stream id/i, 'The id of an entry is not valid'],
  [/equal or smaller than/i, 'The id of an entry must be above the last one'],
  [/wrong number of arguments/i, 'This is not the number of arguments that the command takes'],
  [/source and destination objects are the same/i, 'Both keys are the same'],
  [/numkeys|number of keys/i, 'The number of keys is not right'],
  [/bit offset|bit argument|offset is out of range/i, 'The offset is not valid'],
  [/maximum allowed size/i, 'The value would be longer than the server allows'],
  [/script killed/i, 'Somebody ended the script with SCRIPT KILL'],
];

/** Why the server refused a command, with its code; null for any other error, and for an unknown message. */
const wordsOf = (error: unknown): { why: string | null; code: string } | null => {
  if (!isRefusal(error) || !(error instanceof Error)) return null;
  const answer = answerIn(error.message);
  const why = WORDS.find(([pattern]) => pattern.test(answer))?.[1] ?? null;
  return { why, code: /^[A-Z]{2,20}\b/.exec(answer)?.[0] ?? 'ERR' };
};

/** For a typed line: the server's refusal as a 400 without the server's words, which contain arguments. */
export const refusedLine = (error: unknown): unknown => {
  const words = wordsOf(error);
  if (!words) return error;
  const { why, code } = words;
  const message = `Redis refused the line: ${why ?? 'its arguments are not valid'} (${code}).`;
  return new Problem('bad_input', message, { extensions: { errors: [{ path: 'line', message }] } });
};

/** Scripts appear as EVAL, which explains nothing. */
const isScript = (name: string): boolean => name.startsWith('EVAL');

/**
 * Called where an error leaves the console: an unexplained refusal becomes a 409 that names the command and the
 * reason, without the server's words. Returns any other error unchanged.
 */
export const namedRefusal = (error: unknown): unknown => {
  const words = wordsOf(error);
  if (!words) return error;
  const name = (error as { command?: { name?: string } }).command?.name?.toUpperCase() ?? '';
  const what = name === '' || isScript(name) ? 'this' : name;
  const why = words.why ?? 'Keyward does not know the reason that it gave';
  return new Problem('conflict', `Redis refused ${what}: ${why} (${words.code}).`, { cause: error });
};
