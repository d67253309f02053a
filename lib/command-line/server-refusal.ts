import 'server-only';
import { Problem } from '@/lib/errors';
import { answerIn, isRefusal } from '@/lib/redis/failure';

/** Refusals of servers, in words that repeat no argument. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^WRONGTYPE/, 'The key holds a value of another type than this command works on'],
  [/^NOGROUP|no such group/i, 'The stream has no such group'],
  [/^BUSYGROUP/, 'The group exists already'],
  [/syntax error/i, 'These arguments do not fit together'],
  [/not an integer|value is out of range/i, 'A number is not an integer, or out of range'],
  [/not a valid float|not a float/i, 'A number is not valid'],
  [/min or max/i, 'The ends of the range are not valid'],
  [/would overflow|would produce NaN/i, 'The result would be out of range'],
  [/no such key/i, 'The key does not exist'],
  [/index out of range/i, 'The list has no such place'],
  [/invalid cursor/i, 'The cursor is not valid'],
  [/invalid expire time/i, 'The expiry is not valid'],
  [/invalid stream id/i, 'The id of an entry is not valid'],
  [/equal or smaller than/i, 'The id of an entry must be above the last one'],
  [/wrong number of arguments/i, 'This is not the number of arguments that the command takes'],
  [/source and destination objects are the same/i, 'Both keys are the same'],
  [/numkeys|number of keys/i, 'The number of keys is not right'],
  [/bit offset|bit argument|offset is out of range|maximum allowed size/i, 'The offset is not valid'],
];

/** The server's refusal as a 400 that repeats none of its words: they contain arguments. Any other error as it is. */
export const asProblem = (error: unknown): unknown => {
  if (!isRefusal(error) || !(error instanceof Error)) return error;
  const answer = answerIn(error.message);
  const code = /^[A-Z]{2,20}\b/.exec(answer)?.[0] ?? 'ERR';
  const why = WORDS.find(([pattern]) => pattern.test(answer))?.[1];
  const message = `Redis refused the line: ${why ?? 'its arguments are not valid'} (${code}).`;
  return new Problem('bad_input', message, { extensions: { errors: [{ path: 'line', message }] } });
};
