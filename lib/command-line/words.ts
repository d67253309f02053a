import 'server-only';
import { Problem } from '@/lib/errors';
import type { ParsedCall } from '@/lib/redis/parsed-call';

/** What a line's command is called, `object|encoding`. */
export const nameOf = ({ spec }: ParsedCall): string => spec?.name ?? '';

/** An argument as an upper-case word. Options are short: a longer argument is a value. */
export const wordAt = ({ args }: ParsedCall, at: number): string => {
  const arg = args[at];
  return arg && arg.length <= 20 ? arg.toString('latin1').toUpperCase() : '';
};

/** Where an option stands last, from `from` on: the server takes the last one. -1 without it. */
export const optionAt = (call: ParsedCall, option: string, from: number): number => {
  for (let at = call.args.length - 1; at >= from; at--) if (wordAt(call, at) === option) return at;
  return -1;
};

export const hasOption = (call: ParsedCall, option: string, from: number): boolean =>
  optionAt(call, option, from) >= 0;

/** Answer the values of fields that they name. */
export const OF_FIELDS: ReadonlySet<string> = new Set(['hget', 'hmget', 'hgetex', 'hgetdel']);

/** The fields whose values these answer: of newer commands those behind FIELDS, which may be a field's name, too. */
export const namedFields = (call: ParsedCall): Buffer[] => {
  if (!['hgetex', 'hgetdel'].includes(nameOf(call))) return call.args.slice(2);
  const at = call.args.findIndex((_, i) => i >= 2 && wordAt(call, i) === 'FIELDS');
  return at < 0 ? [] : call.args.slice(at + 2);
};

/** A whole number, however long; throws 400 for anything else, so that no limit can be passed by what is not a number. */
export const numberAt = (call: ParsedCall, at: number): number => {
  const text = call.args[at]?.toString('latin1') ?? '';
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  const message = 'A number is missing, or is not a whole one';
  throw new Problem('bad_input', `${message}.`, { extensions: { errors: [{ path: 'line', message }] } });
};
