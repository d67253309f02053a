import 'server-only';
import { displayBytes } from '@/lib/catalog/display';
import { MASK, maskSecrets } from '@/lib/catalog/mask';
import { CONSOLE_NAME } from '@/lib/redis/monitor-reader';

const MAX_NAME = 60;

/** What a client called itself, for display: anybody may write anything into it. */
export const shownClientName = (name: Uint8Array): string => maskSecrets(displayBytes(name, MAX_NAME), true);

/** Whether a client names itself as those of Keyward do. Any client may: `ownClients` says which ones are ours. */
export const saysKeyward = (name: string): boolean => name.startsWith(CONSOLE_NAME);

/** `10.1.2.3:5000` as `10.1.2.•••`: enough to find the machine among one's own, too little to tell anybody's address. */
export const maskedAddress = (address: string): string => {
  if (!/:\d+$/.test(address) || address.startsWith('/')) return MASK;
  const end = Math.max(address.lastIndexOf('.'), address.replace(/:\d+$/, '').lastIndexOf(':'));
  return `${address.slice(0, end + 1)}${MASK}`;
};
