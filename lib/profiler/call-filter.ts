import 'server-only';
import type { Callers } from './callers';
import type { ProfileFilter } from './schema';

/** What a filter looks at. */
interface Filtered {
  /** The server's name of it, `config|get`; null for a command that it does not know. */
  command: string | null;
  /** Null where its keys are not known. */
  families: readonly string[] | null;
  address: string;
  /** Whether a key's name, as it is shown, has `text` in lower case. */
  namesKey(text: string): boolean;
}

/** `config` names all its subcommands. */
const isNamed = (command: string | null, wanted: string): boolean =>
  command === wanted.replace(' ', '|') || command?.split('|')[0] === wanted;

/** Whether a call is one of those that somebody asked for. */
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
