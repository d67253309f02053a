import 'server-only';
import { type Attempt, failed } from '@/lib/attempt';
import type { Locale } from '@/lib/locales';
import { logBroken } from '@/lib/log';
import type { Store } from '@/lib/redis/store';
import type { Delivery } from './attempts';
import { send } from './channel';
import type { Outgoing } from './outgoing';
import { recordResult } from './results';
import { languageOf, readOne } from './stored-rule';

interface To {
  connection: string;
  delivery: Pick<Delivery, 'channel' | 'rest'>;
  /** For the log. */
  what: string;
}

/** Sends a message in the language of its channel, and records the result of the channel. Never throws. */
export const sendTo = async (
  store: Store,
  { connection, delivery: { channel, rest }, what }: To,
  messageIn: (language: Locale) => Outgoing,
  now: number,
): Promise<Attempt> => {
  const found = await readOne(store, 'channels', connection, channel);
  if (!found) return failed('The channel was deleted.', false);
  try {
    const attempt = await send(connection, found.value, messageIn(languageOf(found.value)), { now, rest });
    await recordResult(store, connection, channel, attempt, now);
    return attempt;
  } catch (error) {
    logBroken(what, error);
    return failed('It could not be sent. The log of the server has the error.', true);
  }
};
