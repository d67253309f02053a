import 'server-only';
import { Problem } from '@/lib/errors';
import type { Arg, Expiry, Key } from '@/lib/redis/commands';
import { classify } from '@/lib/redis/failure';
import type { Writer } from '@/lib/redis/writer';
import type { KeyDump } from './snapshots';

export const expiryArg = (at: Expiry): string => (typeof at === 'string' ? at : String(Math.round(at)));

/** Restores keys that do not exist. Commands inside it: TIME, and one per key. */
export const RESTORE_KEYS = {
  name: 'restore-keys',
  otherCalls: ([states]: readonly unknown[]): number => 1 + (states as Buffer).length,
};

/** Its arguments for one key. */
export const restoreArgs = ({ key, expires, value }: KeyDump): Arg[] => [key, expiryArg(expires), value];

/** The error of RESTORE inside a script; null when there was none. */
export const refusalOf = (text: string): Error | null =>
  text === '' ? null : Object.assign(new Error(text), { command: { name: 'restore' } });

/**
 * 409 when our user may not RESTORE what it is about to delete. Tried on an existing key with invalid bytes, which changes
 * nothing. `remedy` is a sentence, for operations that take `withoutUndo`.
 */
export const refuseUnlessRestorable = async (
  writer: Writer,
  key: Key,
  remedy = ' Send withoutUndo to do it.',
): Promise<void> => {
  const reply = await writer.runAlone(RESTORE_KEYS, key, restoreArgs({ key, expires: -1, value: NO_VALUE }));
  const failure = classify(refusalOf(String(reply[1])));
  if (failure?.code === 'not_permitted')
    throw new Problem('no_undo', `This could not be undone: ${failure.text}.${remedy}`);
};

const NO_VALUE = Buffer.from('no value');
