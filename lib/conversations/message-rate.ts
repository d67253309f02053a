import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { HOUR } from '@/lib/time';
import { readPlaces } from './elements';
import { loadMessages, type OrderedConversation } from './stored-messages';

type Context = Pick<ReadContext, 'catalog' | 'connection' | 'reader'>;

/** Messages whose times make the rate. */
const LAST = 100;

const rate = (messages: number, latest: number, earliest: number): number | null => {
  const hours = (latest - earliest) / HOUR;
  return messages > 1 && hours > 0 ? Math.round(((messages - 1) / hours) * 100) / 100 : null;
};

/**
 * Messages an hour, by the times of the last 100 with a readable time: those of one key by the times of the first and the
 * last of them. Null where there are fewer than two, or all at the same time.
 */
export const messagesPerHour = async (
  ctx: Context,
  conversation: OrderedConversation,
): Promise<number | null> => {
  const sources = conversation.ordered;
  const read = async (source: (typeof sources)[number], from: number, count: number) =>
    loadMessages(ctx, conversation, await readPlaces(ctx, source, from, count));
  const [only, ...others] = sources;
  if (only && others.length === 0) {
    const messages = Math.min(LAST, only.length);
    const [[latest], [earliest]] = await Promise.all([
      read(only, only.length - 1, 1),
      read(only, only.length - messages, 1),
    ]);
    if (latest?.at != null && earliest?.at != null) return rate(messages, latest.at, earliest.at);
  }
  const last = await Promise.all(sources.map((source) => read(source, source.length - 1, LAST)));
  const times = last.flat().flatMap(({ at }) => (at === null ? [] : [at]));
  const sorted = times.sort((a, b) => b - a).slice(0, LAST);
  return rate(sorted.length, sorted[0] ?? 0, sorted.at(-1) ?? 0);
};
