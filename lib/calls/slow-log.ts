import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import type { CommandTable } from '@/lib/redis/command-table';
import { type ParsedCall, parseCall } from '@/lib/redis/parsed-call';
import { SECOND } from '@/lib/time';
import { isOwnClient } from './client-name';
import { type ShownArgument, type ShownCall, shownArguments, summariseCall } from './shown-call';

/** An entry of SLOWLOG GET. */
export type LoggedCall = [
  id: number,
  at: number,
  micros: number,
  args: Buffer[],
  address?: Buffer,
  name?: Buffer,
];

/** A slow call without its values. */
export interface SlowCall {
  id: number;
  /** Epoch ms. */
  at: number;
  durationMicros: number;
  call: Omit<ShownCall, 'shown'>;
  /** Its arguments without values. Shown when first asked for: of a long log a page needs few. */
  shown: () => ShownArgument[];
  /** As the client named itself, unmasked; empty for none. */
  name: Buffer;
  address: string;
  own: boolean;
}

/** The server logs 31 arguments and says how many more there were. */
const MORE_ARGUMENTS = /^\.\.\. \((\d{1,9}) more arguments\)$/;

/** `table` is null where COMMAND is refused: families and keys of the call are then unknown. */
export const slowCallOf = (logged: LoggedCall, catalog: Registry, table: CommandTable | null): SlowCall => {
  const [id, at, durationMicros, logArgs, address, name = Buffer.alloc(0)] = logged;
  const more = MORE_ARGUMENTS.exec(logArgs.at(-1)?.toString('latin1') ?? '');
  let parsed: ParsedCall | null = parseCall(table, more ? logArgs.slice(0, -1) : logArgs);
  const call = summariseCall(parsed, catalog);
  let shown: ShownArgument[] = [];
  return {
    ...{ id, at: at * SECOND, durationMicros, name },
    call: { ...call, arguments: call.arguments + Number(more?.[1] ?? 0) },
    shown: () => {
      if (parsed) shown = shownArguments(parsed, catalog);
      // The values are not kept longer than needed.
      parsed = null;
      return shown;
    },
    address: address?.toString('latin1') ?? '',
    own: isOwnClient(name.toString('latin1')),
  };
};
