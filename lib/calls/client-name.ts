import 'server-only';
import { displayBytes } from '@/lib/keyspace/display';
import { MASK, maskSecrets } from '@/lib/keyspace/mask';
import { CONSOLE_NAME } from '@/lib/redis/monitor-reader';

const MAX_NAME = 60;

/** What a client called itself, for display: anybody may write anything into it. */
export const shownClientName = (name: Uint8Array): string => maskSecrets(displayBytes(name, MAX_NAME), true);

/** Texts of clients repeat, and each costs microseconds to show. Null for none. */
export const memo = (show: (text: string) => string): ((text: string | undefined) => string | null) => {
  const shown = new Map<string, string>();
  return (text) => {
    if (!text) return null;
    const known = shown.get(text) ?? show(text);
    shown.set(text, known);
    return known;
  };
};

/** Whether a client names itself as those of Keyward do. Any client may: `ownClients` says which ones are ours. */
export const saysKeyward = (name: string): boolean => name.startsWith(CONSOLE_NAME);

/** `10.1.2.3:5000` as `10.1.2.•••`: enough to find the machine among one's own, too little to tell anybody's address. */
export const maskedAddress = (address: string): string => {
  if (!/:\d+$/.test(address) || address.startsWith('/')) return MASK;
  const end = Math.max(address.lastIndexOf('.'), address.replace(/:\d+$/, '').lastIndexOf(':'));
  return `${address.slice(0, end + 1)}${MASK}`;
};
