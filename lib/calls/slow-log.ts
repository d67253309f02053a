import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import type { CommandTable } from '@/lib/redis/command-table';
import type { OwnClients } from '@/lib/redis/own-clients';
import { parseCall } from '@/lib/redis/parsed-call';
import { SECOND } from '@/lib/time';
import { saysKeyward, shownClientName } from './client-name';
import { type ShownCall, showCall } from './shown-call';

/** An entry of SLOWLOG GET. */
export type LoggedCall = [
  id: number,
  at: number,
  micros: number,
  args: Buffer[],
  address?: Buffer,
  name?: Buffer,
];

/** A slow call without its values: nothing of it refers to what the server sent. */
export interface SlowCall {
  id: number;
  /** Epoch ms. */
  at: number;
  durationMicros: number;
  call: ShownCall;
  /** As the client named itself, for display; null for none. */
  name: string | null;
  address: string;
  own: boolean;
  /** Not `own`, but its client names itself as those of Keyward do. */
  saysKeyward: boolean;
}

/** The server logs 31 arguments and says how many more there were. */
const MORE_ARGUMENTS = /^\.\.\. \((\d{1,9}) more arguments\)$/;
/** Longer than what it says. */
const MAX_LAST = 40;

/** Shows entries. `table` is null where COMMAND is refused: families and keys of the calls are then unknown. */
export const slowCalls = (catalog: Registry, table: CommandTable | null, ours: OwnClients) => {
  // Few clients log many entries.
  const names = new Map<string, string>();
  const shownName = (name: Buffer): string => {
    const latin1 = name.toString('latin1');
    const shown = names.get(latin1) ?? shownClientName(name);
    names.set(latin1, shown);
    return shown;
  };
  return ([id, seconds, durationMicros, args, from, name]: LoggedCall): SlowCall => {
    const last = args.at(-1);
    const more = last && last.length <= MAX_LAST ? MORE_ARGUMENTS.exec(last.toString('latin1')) : null;
    const call = showCall(parseCall(table, more ? args.slice(0, -1) : args), catalog);
    const address = from?.toString('latin1') ?? '';
    const at = seconds * SECOND;
    const own = ours.ran(address, at);
    return {
      ...{ id, at, durationMicros, address, own },
      call: { ...call, arguments: call.arguments + Number(more?.[1] ?? 0) },
      name: name && name.length > 0 ? shownName(name) : null,
      saysKeyward: !own && saysKeyward(name?.toString('latin1') ?? ''),
    };
  };
};
