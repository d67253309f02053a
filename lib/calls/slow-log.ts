import 'server-only';
import { displayBytes } from '@/lib/keyspace/display';
import type { Registry } from '@/lib/keyspace/registry';
import type { CommandTable } from '@/lib/redis/command-table';
import type { OwnClients } from '@/lib/redis/own-clients';
import { parseCall } from '@/lib/redis/parsed-call';
import { SECOND } from '@/lib/time';
import { memo, saysKeyward, shownClientName } from './client-name';
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
  /** For display; empty for none. */
  address: string;
  own: boolean;
  /** Not `own`, but its client names itself as those of Keyward do. */
  saysKeyward: boolean;
  /** Whether a script or a function called it, where the log tells. */
  inScript: boolean;
}

/** The server logs 31 arguments and says how many more there were. */
const MORE_ARGUMENTS = /^\.\.\. \((\d{1,9}) more arguments\)$/;
/** Longer than what it says. */
const MAX_LAST = 40;
const MAX_ADDRESS = 100;
/**
 * Client addresses of calls inside scripts and functions: `?:0` until Redis 7.0, then empty. Valkey 8 logs the
 * script's client.
 */
const SCRIPT_ADDRESSES = new Set(['?:0', '']);
const RUNS_SCRIPT = /^(EVAL|EVALSHA|FCALL)(_RO)?$/;

/**
 * Gives calls inside a script the client of the script: its own call took longer, and is logged right after them.
 * `entries`: newest first.
 */
export const withCallers = (entries: readonly SlowCall[]): SlowCall[] => {
  let script: SlowCall | null = null;
  return entries.map((entry) => {
    if (!entry.inScript) {
      script = RUNS_SCRIPT.test(entry.call.command) ? entry : null;
      return entry;
    }
    if (!script) return entry;
    const { name, address, own, saysKeyward } = script;
    return { ...entry, name, address, own, saysKeyward };
  });
};

/** Shows an entry; `withCallers` names the clients of scripts. */
export const slowCalls = (catalog: Registry, table: CommandTable, ours: OwnClients) => {
  const named = memo((latin1) => shownClientName(Buffer.from(latin1, 'latin1')));
  const placed = memo((latin1) => displayBytes(Buffer.from(latin1, 'latin1'), MAX_ADDRESS));
  return ([id, seconds, durationMicros, args, from, name]: LoggedCall): SlowCall => {
    const last = args.at(-1);
    const more = last && last.length <= MAX_LAST ? MORE_ARGUMENTS.exec(last.toString('latin1')) : null;
    const call = showCall(parseCall(table, more ? args.slice(0, -1) : args), catalog);
    const address = from?.toString('latin1') ?? '';
    const inScript = from !== undefined && SCRIPT_ADDRESSES.has(address);
    const called = name?.toString('latin1') ?? '';
    const at = seconds * SECOND;
    const own = ours.ran(address, at);
    return {
      id,
      at,
      durationMicros,
      own,
      call: { ...call, arguments: call.arguments + Number(more?.[1] ?? 0) },
      name: named(called),
      address: inScript ? '' : (placed(address) ?? ''),
      inScript,
      saysKeyward: !own && saysKeyward(called),
    };
  };
};
