import 'server-only';
import { commandTable } from '@/lib/calls/table';
import { displayBytes } from '@/lib/keyspace/display';
import type { CommandTable } from '@/lib/redis/command-table';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { withoutPermission } from '@/lib/redis/failure';
import { readCommandDocs } from '@/lib/redis/server-reads';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { type CommandFacts, SHIPPED_FACTS, SHIPPED_TABLE } from '@/lib/redis/shipped-table';
import { HOUR } from '@/lib/time';

/** What the server says of a command; of the shipped table no sentences. */
export interface CommandDoc extends CommandFacts {
  summary: string | null;
  complexity: string | null;
}

export type Documentation = ReadonlyMap<string, CommandDoc>;

/** A module may document anything. */
const MAX_COMMANDS = 2000;
const MAX_TEXT = 400;
const MAX_DEPTH = 6;
const MAX_SYNTAX = 2000;

const mapOf = (list: unknown): Map<string, unknown> => {
  const map = new Map<string, unknown>();
  if (!Array.isArray(list)) return map;
  for (let i = 0; i + 1 < list.length; i += 2) map.set(String(list[i]), list[i + 1]);
  return map;
};

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? displayBytes(Buffer.from(value), MAX_TEXT) : null;

const part = (argument: unknown, depth: number): string => {
  const facts = mapOf(argument);
  const flags = facts.get('flags');
  const has = (flag: string): boolean => Array.isArray(flags) && flags.includes(flag);
  const [type, token] = [facts.get('type'), facts.get('token')];
  const inner = (separator: string): string => syntaxOf(facts.get('arguments'), separator, depth + 1);
  let text = String(facts.get('display_text') ?? facts.get('name') ?? '');
  if (type === 'pure-token') text = String(token);
  else if (type === 'oneof')
    text = has('optional') && token === undefined ? inner(' | ') : `<${inner(' | ')}>`;
  else if (type === 'block') text = inner(' ');
  const repeated = text;
  if (type !== 'pure-token' && token !== undefined) text = `${token === '' ? '""' : token} ${text}`;
  if (has('multiple')) text += ` [${has('multiple_token') ? text : repeated} …]`;
  return has('optional') ? `[${text}]` : text;
};

/** Arguments as COMMAND DOCS describes them, in the notation of manuals. */
const syntaxOf = (list: unknown, separator = ' ', depth = 0): string =>
  depth > MAX_DEPTH || !Array.isArray(list)
    ? ''
    : list
        .map((each) => part(each, depth))
        .join(separator)
        .slice(0, MAX_SYNTAX);

const docOf = (facts: Map<string, unknown>): CommandDoc => ({
  summary: textOf(facts.get('summary')),
  since: textOf(facts.get('since')),
  group: textOf(facts.get('group')),
  complexity: textOf(facts.get('complexity')),
  syntax: displayBytes(Buffer.from(syntaxOf(facts.get('arguments')))),
});

const fromServer = (reply: unknown): Documentation => {
  const docs = new Map<string, CommandDoc>();
  for (const [name, list] of [...mapOf(reply)].slice(0, MAX_COMMANDS)) {
    const facts = mapOf(list);
    docs.set(name.toLowerCase(), docOf(facts));
    for (const [sub, inner] of [...mapOf(facts.get('subcommands'))].slice(0, MAX_COMMANDS))
      docs.set(sub.toLowerCase(), docOf(mapOf(inner)));
  }
  return docs;
};

const SHIPPED: Documentation = new Map(
  [...SHIPPED_FACTS].map(([name, facts]) => [name, { ...facts, summary: null, complexity: null }]),
);

const shared = sharedAnswer<Documentation>('command-docs', HOUR);

/** COMMAND DOCS, read once an hour; the shipped facts before Redis 7 and where it is refused. */
export const documentation = (handle: ConnectionHandle): Promise<Documentation> =>
  shared.of(handle, async () => {
    // Before Redis 7 it is an unknown subcommand.
    const docs = await readCommandDocs(handle).then(fromServer, withoutPermission(SHIPPED));
    return docs.size > 0 ? docs : SHIPPED;
  });

/** Redis 6.2 has containers without their subcommands, which do very different things: those of the shipped table. */
export const withSubcommands = (table: CommandTable): CommandTable => {
  const shipped = [...table].filter(
    ([name, { subcommands }]) => !subcommands && SHIPPED_TABLE.get(name)?.subcommands,
  );
  if (shipped.length === 0) return table;
  return new Map([...table, ...shipped.map(([name]) => [name, SHIPPED_TABLE.get(name)!] as const)]);
};

/** The server's own table; the shipped one where COMMAND is refused. */
export const knownCommands = async (handle: ConnectionHandle): Promise<CommandTable> =>
  withSubcommands(await commandTable(handle));
