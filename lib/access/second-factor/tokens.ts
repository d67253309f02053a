import 'server-only';
import { z } from 'zod';
import { open, seal } from '@/lib/keyring';
import { parseStored } from '@/lib/stored-json';

type Purpose = 'set-up' | 'new passkey' | 'passkey';

const contents = z.object({ user: z.string(), value: z.string(), until: z.number() });

/** A sealed value that the browser sends back: what was begun is not stored. `until`: epoch ms. */
export const tokenFor = (purpose: Purpose, user: string, value: string, until: number): string =>
  seal('second-factor', Buffer.from(JSON.stringify({ user, value, until })), purpose).toString('base64url');

/** The value of a token; null where it is not this user's, was altered or has expired. */
export const readToken = (purpose: Purpose, user: string, token: string, now: number): string | null => {
  const plain = open('second-factor', Buffer.from(token, 'base64url'), purpose);
  const read = parseStored(contents, plain?.toString());
  return read && read.user === user && now < read.until ? read.value : null;
};
