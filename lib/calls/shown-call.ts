import 'server-only';
import { cutName, displayBytes, maskedName } from '@/lib/keyspace/display';
import { MASK, maskSecrets } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import type { ParsedCall } from '@/lib/redis/parsed-call';

/** An argument for display, and what it is. */
export interface ShownArgument {
  text: string;
  kind: 'key' | 'option' | 'number' | 'value';
}

/** What a call may tell people: never a value, and of a key only what its family shows. */
export interface ShownCall {
  /** In capitals: the server's name of it, `CONFIG SET`; else the beginning of what was sent. */
  command: string;
  /** Families of its keys, each once, in the order of the keys. */
  families: string[];
  /** Null where the server does not say which arguments are keys. */
  keys: number | null;
  /** The first `MAX_SHOWN` arguments after the command. */
  shown: ShownArgument[];
  /** How many arguments follow the command, those that are not shown too. */
  arguments: number;
}

const MAX_SHOWN = 16;
const MAX_KEYS = 64;
const MAX_COMMAND = 30;
const MAX_NUMBER = 15;

/** Words of the protocol. A value that equals one of them is shown, and reveals nothing: it is one of these words. */
const OPTIONS = new Set(
  (
    'EX PX EXAT PXAT KEEPTTL PERSIST NX XX GT LT CH INCR GET SET MATCH COUNT TYPE NOVALUES LIMIT WITHSCORES WITHSCORE ' +
    'WITHVALUES WITHCOORD WITHDIST WITHHASH BYSCORE BYLEX REV ASC DESC ALPHA BY STORE STOREDIST LEFT RIGHT BEFORE AFTER ' +
    'AGGREGATE SUM MIN MAX WEIGHTS MAXLEN MINID NOMKSTREAM BLOCK STREAMS GROUP NOACK IDLE ENTRIESREAD CREATE ' +
    'MKSTREAM DESTROY REPLACE ABSTTL FREQ IDLETIME FIELDS FNX FXX OVERFLOW WRAP SAT FAIL INCRBY BIT BYTE AND OR XOR ' +
    'NOT ASYNC SYNC DB COPY SAMPLES USAGE'
  ).split(' '),
);

/**
 * Commands whose numbers are places, counts, scores or times. Elsewhere a number may be a code that signs somebody in: no
 * command that carries a value belongs here.
 */
const SHOWS_NUMBERS = new Set(
  (
    'lrange ltrim lindex getrange substr bitcount bitpos getbit bitfield_ro zrange zrevrange ' +
    'zrangebyscore zrevrangebyscore zremrangebyrank zremrangebyscore zcount zpopmin zpopmax bzpopmin bzpopmax lpop rpop ' +
    'blpop brpop lmpop blmpop zmpop bzmpop spop srandmember hrandmember zrandmember scan sscan hscan zscan expire pexpire ' +
    'expireat pexpireat getex sort sort_ro lmove blmove brpoplpush sintercard zintercard zinter zunion zdiff sinter ' +
    'xrange xrevrange xread xreadgroup xtrim select move object|freq slowlog|get client|pause wait waitaof ' +
    'memory|usage latency|histogram'
  ).split(' '),
);

/** Words before a pattern or a name, which may be a number. */
const BEFORE_NAMES = new Set(['MATCH', 'BY', 'GET']);

const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** How many words of the call are its name: two for a subcommand. */
export const nameWords = ({ spec }: ParsedCall): number => (spec?.name.includes('|') ? 2 : 1);

const isNamed = (call: ParsedCall, index: number): boolean =>
  index > nameWords(call) && BEFORE_NAMES.has(call.args[index - 1]!.toString('latin1').toUpperCase());

const shownArgument = (call: ParsedCall, arg: Buffer, index: number, catalog: Registry): ShownArgument => {
  const { spec, keys } = call;
  if (keys?.includes(index)) return { text: cutName(maskedName(arg, catalog)), kind: 'key' };
  if (arg.length <= MAX_NUMBER) {
    const text = arg.toString('latin1');
    if (OPTIONS.has(text.toUpperCase())) return { text: text.toUpperCase(), kind: 'option' };
    const isNumber = spec !== null && SHOWS_NUMBERS.has(spec.name) && NUMBER.test(text);
    if (isNumber && !isNamed(call, index)) return { text, kind: 'number' };
  }
  return { text: MASK, kind: 'value' };
};

/** The name is the server's own where it is known; else it is cut, because a log holds what anybody sent. */
const commandOf = ({ spec, args }: ParsedCall): string =>
  (
    spec?.name.replace('|', ' ') ?? maskSecrets(displayBytes(args[0] ?? Buffer.alloc(0), MAX_COMMAND), true)
  ).toUpperCase();

/** Ids of the families of its keys. An argument that was cut makes its key malformed; it still has a family. */
export const familiesOfCall = ({ args, keys }: ParsedCall, catalog: Registry): string[] => {
  const ids = (keys ?? []).slice(0, MAX_KEYS).flatMap((index) => {
    const { family, malformedOf } = catalog.locate(args[index]!);
    return (family ?? malformedOf)?.id ?? [];
  });
  return [...new Set(ids)];
};

/** A call for slow logs, profiles and audit entries. */
export const showCall = (call: ParsedCall, catalog: Registry): ShownCall => {
  const from = nameWords(call);
  const shown = call.args.slice(from, from + MAX_SHOWN);
  return {
    command: commandOf(call),
    families: familiesOfCall(call, catalog),
    keys: call.keys === null ? null : call.keys.length,
    shown: shown.map((arg, i) => shownArgument(call, arg, from + i, catalog)),
    arguments: Math.max(0, call.args.length - from),
  };
};
