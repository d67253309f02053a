import 'server-only';
import { recordRefusal } from '@/lib/audit/record';
import { showCall } from '@/lib/calls/shown-call';
import type { ReadContext } from '@/lib/command/context';
import { badField, Problem } from '@/lib/errors';
import { identify, type KeyIdentity } from '@/lib/key-values/identity';
import { valueAccess } from '@/lib/key-values/value-access';
import { isOwn } from '@/lib/keyspace/guarded';
import { may } from '@/lib/permissions';
import type { CommandTable } from '@/lib/redis/command-table';
import { type ParsedCall, parseCall } from '@/lib/redis/parsed-call';
import { refuseAcrossNodes } from './across-nodes';
import { documentation, knownCommands } from './documentation';
import { nearestTo } from './nearest';
import { type Argument, LineError, parseLine } from './parse';
import { judge, NAMES_NO_KEY, type Verdict } from './policy';
import { commandRefused, refuseOptions } from './refusals';
import { refuseSecretUse } from './secret-use';
import type { Line, NamedKey } from './typed-line';

/** As `parseLine`; throws 400 for a line that cannot be read. */
export const argumentsIn = (line: string, options?: { isPartial: boolean }): Argument[] => {
  try {
    return parseLine(line, options);
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    throw badField('line', `${error.message} (character ${error.at})`);
  }
};

export const argumentsOf = (line: string): Buffer[] =>
  argumentsIn(line).map(({ bytes }) => Buffer.from(bytes));

const unknownCommand = (table: CommandTable, call: ParsedCall): Problem => {
  const [word = Buffer.alloc(0), sub = Buffer.alloc(0)] = call.args;
  const container = call.spec?.subcommands ? call.spec : null;
  const nearest = container
    ? nearestTo(sub.toString('latin1'), container.subcommands!.keys()).map(
        (name) => `${container.name} ${name}`,
      )
    : nearestTo(word.toString('latin1'), table.keys());
  const names = nearest.map((name) => name.toUpperCase());
  const hint = names.length > 0 ? ` Did you mean ${names.join(', ')}?` : '';
  const what = container ? `${container.name.toUpperCase()} has no such subcommand` : 'No such command';
  return new Problem('unknown_command', `${what} on this server.${hint}`, {
    extensions: { nearest: names },
  });
};

const checkArity = async (ctx: ReadContext, { args, spec }: ParsedCall): Promise<void> => {
  const { arity, name } = spec!;
  if (arity < 0 ? args.length >= -arity : args.length === arity) return;
  const syntax = (await documentation(ctx.connection)).get(name)?.syntax ?? '';
  const message = `This is not the number of arguments of ${name.replace('|', ' ').toUpperCase()} ${syntax}`;
  throw new Problem('bad_input', message.trim(), {
    extensions: { errors: [{ path: 'line', message }], syntax },
  });
};

const shownLine = (ctx: Pick<ReadContext, 'catalog'>, call: ParsedCall): string => {
  const { command, shown, arguments: count } = showCall(call, ctx.catalog);
  const more = count > shown.length ? [`… (${count} arguments)`] : [];
  return [command, ...shown.map(({ text }) => text), ...more].join(' ');
};

/** A line as it is shown, before any rights are checked; null where it has no known command, which may be anything. */
export const showLine = async (ctx: ReadContext, text: string): Promise<string | null> => {
  const call = parseCall(await knownCommands(ctx.connection), argumentsOf(text));
  return call.spec && shownLine(ctx, call);
};

const forbidden = async (ctx: ReadContext, detail: string, recorded: string): Promise<never> => {
  await recordRefusal({
    actor: ctx.actor,
    action: 'commandLine.run',
    connection: ctx.connection.config.id,
    requestId: ctx.requestId,
    detail: recorded,
  });
  throw new Problem('forbidden', detail);
};

/** Throws 403 for a key whose values this caller may not see, and 400 for one that nobody opens by its name. */
const admitKey = async (ctx: ReadContext, identity: KeyIdentity): Promise<NamedKey> => {
  const access = valueAccess(ctx, identity);
  if (isOwn(ctx.catalog, identity.key))
    return forbidden(ctx, 'This is one of Keyward’s own keys.', 'refused: own key');
  const { family } = identity;
  if (access.hidden === 'permission') {
    const what = family ? `The key belongs to “${family.title}”` : 'The key';
    return forbidden(
      ctx,
      `${what}, which needs the permission ${access.needs}.`,
      `refused: needs ${access.needs}`,
    );
  }
  if (identity.guessable)
    throw commandRefused(
      access.page ?? 'keys',
      'The name of this key may be a secret, and the answer would say whether it was guessed right. Open it from its page.',
    );
  return { identity, access };
};

/** What a line does, by its command alone; null for an unknown one. Rights are checked by `readLine`. */
export const kindOf = async (ctx: ReadContext, text: string): Promise<Verdict['kind'] | null> => {
  const { spec } = parseCall(await knownCommands(ctx.connection), argumentsOf(text));
  return spec && judge(spec).kind;
};

/** As `keys`, each once. */
const distinctKeys = (args: readonly Buffer[], keys: readonly number[]): Buffer[] => {
  const distinct = new Map(keys.map((at) => [args[at]!.toString('latin1'), args[at]!]));
  return [...distinct.values()];
};

/**
 * Reads a line and decides by the server's categories and the families of its keys whether the caller may run it; whether
 * the role may write is checked by the caller's `needs`. Throws 400 and 403 `Problem`s that repeat no argument.
 */
export const readLine = async (ctx: ReadContext, text: string): Promise<Line> => {
  const args = argumentsOf(text);
  if (args.length === 0) throw badField('line', 'Type a command.');
  const table = await knownCommands(ctx.connection);
  const call = parseCall(table, args);
  const { spec } = call;
  if (!spec) throw unknownCommand(table, call);
  const verdict = judge(spec);
  if (verdict.kind === 'refused') {
    const isContainer = spec.subcommands !== null && args.length > 1;
    if (isContainer && [...spec.subcommands!.values()].some((each) => judge(each).kind !== 'refused'))
      throw unknownCommand(table, call);
    throw commandRefused(verdict.refusal.page, verdict.refusal.reason);
  }
  await checkArity(ctx, call);
  refuseOptions(call);
  const { keys } = call;
  if (keys === null || (keys.length === 0 && !NAMES_NO_KEY.has(spec.name)))
    throw commandRefused(
      'keys',
      'Which keys this line names is not certain, so their rights are not either.',
    );
  refuseAcrossNodes(ctx.connection, call, distinctKeys(args, keys));
  const named: NamedKey[] = [];
  for (const identity of await identify(ctx, distinctKeys(args, keys)))
    named.push(await admitKey(ctx, identity));
  const line: Line = {
    call: { ...call, spec, keys },
    kind: verdict.kind,
    keys: named,
    shown: shownLine(ctx, call),
  };
  // Whoever may not write at all learns nothing of the rest.
  if (line.kind === 'read' || (ctx.actor.role && may(ctx.actor.role, 'keys:write')))
    await refuseSecretUse(ctx, line);
  return line;
};
