import 'server-only';
import {
  type Arguments,
  type CommandSpec,
  type CommandTable,
  findCommand,
  keyIndexes,
} from './command-table';

/** Words up to this length are compared with names of commands; longer ones are values. */
const MAX_WORD = 64;

/** A call with its facts from the server's command table. */
export interface ParsedCall {
  /** The arguments, the command's name first. */
  args: readonly Buffer[];
  /** Null for a command that is not in the table, and without a table. */
  spec: CommandSpec | null;
  /** Which arguments are keys, ascending; null where the table does not define it. */
  keys: readonly number[] | null;
}

/** Arguments in the form that `command-table` and `lookups` read. */
export const argumentsOf = (args: readonly Buffer[]): Arguments => ({
  count: args.length,
  word: (index) => {
    const arg = args[index];
    return arg && arg.length <= MAX_WORD ? arg.toString('latin1').toLowerCase() : '';
  },
});

/** Finds the command and its keys. */
export const parseCall = (table: CommandTable, args: readonly Buffer[]): ParsedCall => {
  const call = argumentsOf(args);
  const spec = findCommand(table, call);
  if (!spec || spec.opaque) return { args, spec, keys: null };
  const indexes = spec.keys.flatMap((keySpec) => keyIndexes(keySpec, call)).filter((at) => at < args.length);
  return { args, spec, keys: [...new Set(indexes)].sort((a, b) => a - b) };
};
