import 'server-only';
import type { Redis } from 'ioredis';
import { askCommandTable, type CommandSpec, type CommandTable, type KeySpec } from './command-table';
import { withoutPermission } from './failure';
import SHIPPED from './shipped-commands.json';

/** Facts of a command in the table that ships with the console. */
export interface CommandFacts {
  since: string | null;
  group: string | null;
  syntax: string;
}

const wordsOf = (text: string): Set<string> => new Set(text.split(' ').filter(Boolean));

/** `RO access i1 r0,1,0`: flags, where the search begins, and how keys are found from there. */
const keySpecOf = (text: string): KeySpec => {
  const words = text.split(' ');
  const [begin, find] = words.splice(-2) as [string, string];
  const [first, second, third] = find.slice(1).split(',').map(Number) as [number, number, number];
  const [keyword, from] = begin.slice(1).split(',');
  return {
    flags: new Set(words),
    begin: begin.startsWith('i')
      ? { index: Number(begin.slice(1)) }
      : { keyword: keyword!.toLowerCase(), from: Number(from) },
    find: find.startsWith('r')
      ? { lastKey: first, step: second, limit: third }
      : { numberAt: first, firstKey: second, step: third },
  };
};

const rows = Object.entries(SHIPPED).map(([name, row]) => {
  const [arity, flags, categories, keys, since, group, ...syntax] = row.split(';');
  const specs = keys!.split('/').filter(Boolean).map(keySpecOf);
  const spec: CommandSpec = {
    name,
    arity: Number(arity),
    flags: wordsOf(flags!),
    categories: wordsOf(categories!),
    keys: specs,
    opaque: wordsOf(flags!).has('movablekeys') && specs.length === 0,
    subcommands: null,
  };
  const facts: CommandFacts = { since: since || null, group: group || null, syntax: syntax.join(';') };
  return { spec, facts };
});

/** The commands of Redis 7.0, for servers that refuse COMMAND. */
export const SHIPPED_TABLE: CommandTable = new Map(
  rows
    .filter(({ spec }) => !spec.name.includes('|'))
    .map(({ spec }) => {
      const inner = rows.filter((row) => row.spec.name.startsWith(`${spec.name}|`));
      const subcommands = new Map(
        inner.map((row) => [row.spec.name.slice(spec.name.length + 1), row.spec] as const),
      );
      return [spec.name, { ...spec, subcommands: inner.length > 0 ? subcommands : null }];
    }),
);

export const SHIPPED_FACTS: ReadonlyMap<string, CommandFacts> = new Map(
  rows.map(({ spec, facts }) => [spec.name, facts]),
);

/** All commands of the server, including where their keys are; those of Redis 7.0 where it refuses COMMAND. */
export const readCommandTable = (redis: Redis): Promise<CommandTable> =>
  askCommandTable(redis).catch(withoutPermission(SHIPPED_TABLE));
