import 'server-only';
import type { ParsedCall } from '@/lib/redis/parsed-call';
import type { RawReply } from './reply-nodes';
import { nameOf, wordAt } from './words';

/** Widest integers of which Lua keeps every digit. */
const MAX_KEPT_BITS = 53;
const LOW_BITS = 32;

type Operation = 'GET' | 'SET' | 'INCRBY';
/** Arguments of an operation, its name too. */
const ARGUMENTS: Record<Operation, number> = { GET: 3, SET: 4, INCRBY: 4 };

const isOperation = (word: string): word is Operation => Object.hasOwn(ARGUMENTS, word);

/** Two GETs of the high and the low bits of a wide integer; null where one integer of the server's reply is exact. */
const halvesOf = (type: string, place: string): string[] | null => {
  const [, sign, width] = /^([IU])(\d{1,2})$/.exec(type) ?? [];
  const [, isIndex, offset] = /^(#?)(\d{1,15})$/.exec(place) ?? [];
  const bits = Number(width);
  if (sign === undefined || offset === undefined || bits <= MAX_KEPT_BITS || bits > 64) return null;
  const from = Number(offset) * (isIndex ? bits : 1);
  const high = bits - LOW_BITS;
  return ['GET', `${sign.toLowerCase()}${high}`, `${from}`, 'GET', `u${LOW_BITS}`, `${from + high}`];
};

/** Where the integer that one operation answers stands in the reply of the server. */
interface Place {
  at: number;
  /** Where its high bits stand, with the low ones behind; null where `at` is exact. */
  halves: number | null;
}

interface WideCall {
  args: readonly Buffer[];
  /** The reply to the line as it was typed. */
  replyOf(reply: RawReply): RawReply;
}

/**
 * A BITFIELD that also answers the halves of its wide integers, because Lua would round them. SET answers the integer
 * before it, so its halves are read before it. Other calls, and what the server will refuse, stay as they are.
 */
export const withHalves = (call: ParsedCall): WideCall => {
  const unchanged = { args: call.args, replyOf: (reply: RawReply) => reply };
  if (nameOf(call) !== 'bitfield') return unchanged;
  const args = call.args.slice(0, 2);
  const places: Place[] = [];
  let replies = 0;
  for (let at = 2; at < call.args.length; ) {
    const word = wordAt(call, at);
    if (word !== 'OVERFLOW' && !isOperation(word)) return unchanged;
    const operation = call.args.slice(at, at + (word === 'OVERFLOW' ? 2 : ARGUMENTS[word]));
    const halves = word === 'OVERFLOW' ? null : halvesOf(wordAt(call, at + 1), wordAt(call, at + 2));
    const added = (halves ?? []).map((argument) => Buffer.from(argument));
    args.push(...(word === 'SET' ? [...added, ...operation] : [...operation, ...added]));
    at += operation.length;
    if (word === 'OVERFLOW') continue;
    const isBefore = halves !== null && word === 'SET';
    places.push({
      at: replies + (isBefore ? 2 : 0),
      halves: halves && replies + (isBefore ? 0 : 1),
    });
    replies += halves ? 3 : 1;
  }
  const replyOf = (reply: RawReply): RawReply =>
    Array.isArray(reply) ? places.map((place) => joined(reply, place)) : reply;
  return { args, replyOf };
};

/** Null stays null: an INCRBY that would overflow was not applied. */
const joined = (reply: readonly RawReply[], { at, halves }: Place): RawReply => {
  const found = reply[at] ?? null;
  if (halves === null || found === null) return found;
  const [high, low] = [reply[halves], reply[halves + 1]];
  return String(BigInt(Number(high)) * 2n ** BigInt(LOW_BITS) + BigInt(Number(low)));
};
