import 'server-only';
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

/** A whole number; null for anything else. */
export const numberAt = (call: ParsedCall, at: number): number | null => {
  const word = wordAt(call, at);
  return /^[+-]?\d{1,15}$/.test(word) ? Number(word) : null;
};
