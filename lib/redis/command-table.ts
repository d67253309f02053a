import 'server-only';
import type { Redis } from 'ioredis';

/** A key specification of the server's COMMAND table: where the keys of a command are among its arguments. */
export interface KeySpec {
  /** `RO`, `RW`, `OW`, `RM`, `access`, `not_key` …; empty on Redis 6.2. */
  flags: ReadonlySet<string>;
  begin: { index: number } | { keyword: string; from: number };
  find:
    | { lastKey: number; step: number; limit: number }
    | { numberAt: number; firstKey: number; step: number };
}

export interface CommandSpec {
  name: string;
  /** The number of arguments with the name; negative for a minimum. */
  arity: number;
  flags: ReadonlySet<string>;
  /** ACL categories, without `@`. */
  categories: ReadonlySet<string>;
  keys: readonly KeySpec[];
  /** Whether the server does not report where its keys are. */
  opaque: boolean;
  subcommands: ReadonlyMap<string, CommandSpec> | null;
}

export type CommandTable = ReadonlyMap<string, CommandSpec>;

/** The arguments of one call, the command's name first. */
export interface Arguments {
  readonly count: number;
  /** A short argument in lower case; empty past the end. */
  word(index: number): string;
}

type Reply = unknown[];

const text = (value: unknown): string => String(value).toLowerCase();

/** The server sends maps as flat lists of names and values. */
const mapOf = (list: unknown): Map<string, unknown> => {
  const flat = list as Reply;
  const map = new Map<string, unknown>();
  for (let i = 0; i + 1 < flat.length; i += 2) map.set(text(flat[i]), flat[i + 1]);
  return map;
};

/** Null for a specification of kind `unknown`. */
const specOf = (reply: unknown): KeySpec | null => {
  const map = mapOf(reply);
  const part = (name: string) => {
    const part = mapOf(map.get(name));
    const spec = mapOf(part.get('spec') ?? []);
    return { type: text(part.get('type')), number: (field: string) => Number(spec.get(field) ?? 0), spec };
  };
  const begin = part('begin_search');
  const find = part('find_keys');
  if (begin.type === 'unknown' || find.type === 'unknown') return null;
  return {
    flags: new Set((map.get('flags') as Reply).map(String)),
    begin:
      begin.type === 'index'
        ? { index: begin.number('index') }
        : { keyword: text(begin.spec.get('keyword')), from: begin.number('startfrom') },
    find:
      find.type === 'range'
        ? { lastKey: find.number('lastkey'), step: find.number('keystep'), limit: find.number('limit') }
        : {
            numberAt: find.number('keynumidx'),
            firstKey: find.number('firstkey'),
            step: find.number('keystep'),
          },
  };
};

const NONE: ReadonlySet<string> = new Set();
const numbered = (index: number): KeySpec => ({
  flags: NONE,
  begin: { index },
  find: { numberAt: 0, firstKey: 1, step: 1 },
});
const at = (index: number): KeySpec => ({
  flags: NONE,
  begin: { index },
  find: { lastKey: 0, step: 1, limit: 0 },
});
const after = (keyword: string, from: number, limit: number): KeySpec => ({
  flags: NONE,
  begin: { keyword, from },
  find: { lastKey: -1, step: 1, limit },
});

/** Commands for which Redis 6.2 reports only `movablekeys`. */
const MOVABLE: Readonly<Record<string, readonly KeySpec[]>> = {
  eval: [numbered(2)],
  evalsha: [numbered(2)],
  zunion: [numbered(1)],
  zinter: [numbered(1)],
  zdiff: [numbered(1)],
  zunionstore: [at(1), numbered(2)],
  zinterstore: [at(1), numbered(2)],
  zdiffstore: [at(1), numbered(2)],
  xread: [after('streams', 1, 2)],
  xreadgroup: [after('streams', 4, 2)],
  sort: [at(1)],
  georadius: [at(1)],
  georadiusbymember: [at(1)],
  migrate: [at(3), after('keys', -2, 0)],
  memory: [at(2)],
  stralgo: [],
};

const legacySpecs = (name: string, [first, last, step]: number[], movable: boolean): KeySpec[] | null => {
  if (movable) return MOVABLE[name] ? [...MOVABLE[name]] : null;
  if (!first) return [];
  const lastKey = last! >= 0 ? last! - first : last!;
  return [{ flags: NONE, begin: { index: first }, find: { lastKey, step: step!, limit: 0 } }];
};

const toSpec = (reply: unknown): CommandSpec => {
  const [fullName, arity, flagList, first, last, step, categories, , specs, subcommands] = reply as Reply;
  const name = text(fullName);
  const flags = new Set((flagList as Reply).map(text));
  const given = specs === undefined ? null : (specs as Reply).map(specOf);
  const known = given?.filter((spec) => spec !== null) ?? null;
  const keys =
    known ?? legacySpecs(name, [first, last, step].map(Number), flags.has('movablekeys')) ?? undefined;
  const subs = ((subcommands as Reply | undefined) ?? []).map(toSpec);
  return {
    name,
    arity: Number(arity),
    flags,
    categories: new Set(
      ((categories as Reply | undefined) ?? []).map((category) => text(category).replace(/^@/, '')),
    ),
    keys: keys ?? [],
    // Commands of modules that find their keys in code have `movablekeys` and no key specification.
    opaque: keys === undefined || (flags.has('movablekeys') && keys.length === 0),
    subcommands:
      subs.length > 0 ? new Map(subs.map((sub) => [sub.name.slice(sub.name.indexOf('|') + 1), sub])) : null,
  };
};

/** Reads the server's command table, including where the keys are. Throws the server's refusal. */
export const askCommandTable = async (redis: Redis): Promise<CommandTable> =>
  new Map(((await redis.call('COMMAND')) as Reply).map(toSpec).map((spec) => [spec.name, spec]));

/** The command, or its subcommand; null for an unknown one. */
export const findCommand = (table: CommandTable, args: Arguments): CommandSpec | null => {
  const command = table.get(args.word(0));
  if (!command) return null;
  return command.subcommands?.get(args.word(1)) ?? command;
};

const beginOf = ({ begin }: KeySpec, args: Arguments): number | null => {
  if ('index' in begin) return begin.index;
  const { count } = args;
  const forward = begin.from > 0;
  let at = forward ? begin.from : count + begin.from;
  for (const end = forward ? count - 1 : 1; at > 0 && at < count && at !== end; at += forward ? 1 : -1)
    if (args.word(at) === begin.keyword) return at + 1;
  return null;
};

/** The indexes of the arguments that are keys by one specification, found by Redis' own algorithm. */
export const keyIndexes = (spec: KeySpec, args: Arguments): number[] => {
  const begin = beginOf(spec, args);
  if (begin === null) return [];
  const { find } = spec;
  const step = Math.max(1, find.step);
  let [first, last] = [begin, begin];
  if ('numberAt' in find) {
    const keys = Number(args.word(begin + find.numberAt));
    if (!Number.isInteger(keys) || keys < 1) return [];
    first = begin + find.firstKey;
    last = first + (keys - 1) * step;
  } else if (find.lastKey >= 0) last = begin + find.lastKey;
  else if (find.limit <= 1) last = args.count + find.lastKey;
  else last = begin + Math.floor((args.count - begin) / find.limit) + find.lastKey;
  const indexes: number[] = [];
  // A call may claim more keys than it has arguments.
  const bound = last > first + 1 ? Math.min(last, args.count - 1) : last;
  for (let index = first; index <= bound; index += step) indexes.push(index);
  return indexes;
};
