import 'server-only';
import type { Callers } from './callers';
import type { ProfileFilter } from './schema';

/** The parts of a call that a filter compares. */
interface Filtered {
  /** The server's name for it, `config|get`; null for an unknown command. */
  command: string | null;
  /** Null where its keys are unknown. */
  families: readonly string[] | null;
  address: string;
  /** Whether the displayed name of a key contains `text`, which is in lower case. */
  namesKey(text: string): boolean;
}

/** `config` matches all its subcommands. */
const isNamed = (command: string | null, wanted: string): boolean =>
  command === wanted.replace(' ', '|') || command?.split('|')[0] === wanted;

/** Returns a predicate: whether a call matches the filter. */
export const callFilter = (filter: ProfileFilter, callers: Callers) => {
  const { family } = filter;
  const [command, client, user, key] = [filter.command, filter.client, filter.user, filter.key].map((text) =>
    text?.toLowerCase(),
  );
  return (call: Filtered): boolean => {
    if (family !== undefined && !call.families?.includes(family)) return false;
    if (command !== undefined && !isNamed(call.command, command)) return false;
    if (key !== undefined && !call.namesKey(key)) return false;
    if (client === undefined && user === undefined) return true;
    const caller = callers.of(call.address);
    if (client !== undefined && !caller.client.toLowerCase().includes(client)) return false;
    return user === undefined || caller.user?.toLowerCase() === user;
  };
};
