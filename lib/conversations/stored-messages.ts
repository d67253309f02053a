import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Cut } from '@/lib/key-values/etag';
import { digest } from '@/lib/keyring';
import type { ConversationDefinition } from '@/lib/keyspace/entities';
import { readTime } from '@/lib/values/read-time';
import { type Element, elementBytes, type OrderedSource, readPlaces } from './elements';
import { type MessageRecord, readRecords } from './records';
import type { Conversation, Source } from './sources';
import { parseText } from './text-message';

type Context = Pick<ReadContext, 'catalog' | 'connection' | 'reader'>;

/** A message as it is stored. */
export interface StoredMessage extends Element {
  /** Epoch ms; null where its time cannot be read. */
  at: number | null;
  /** Null where the element itself is the message. */
  record: MessageRecord | null;
}

/** A score as a time: Redis writes large ones with an exponent. */
const scoreTime = (score: string | null): number | null => {
  if (score === null) return null;
  const value = Number(score);
  if (!Number.isFinite(value) || value < 0) return null;
  return readTime(value >= 1e10 ? BigInt(Math.trunc(value)).toString() : score);
};

const textTime = (cut: Cut | null | undefined): number | null =>
  cut ? readTime(cut.bytes.toString('latin1')) : null;

const timeOf = (
  { text: layout }: ConversationDefinition,
  { text, score }: Element,
  record: MessageRecord | null,
): number | null => {
  if (record) return textTime(record.fields.time);
  const own = layout ? parseText(text.bytes.toString('latin1'), layout).at : null;
  return own ?? scoreTime(score);
};

/** The messages of elements, with their hashes where they are ids. */
export const loadMessages = async (
  ctx: Context,
  { definition }: Pick<Conversation, 'definition'>,
  elements: readonly Element[],
): Promise<StoredMessage[]> => {
  const { message } = definition;
  const records = message
    ? await readRecords(
        ctx,
        message,
        elements.map(({ text }) => text),
      )
    : [];
  return elements.map((element, i) => {
    const record = records[i] ?? null;
    return { ...element, record, at: timeOf(definition, element, record) };
  });
};

/** Elements at each end of a list that are read for a time. */
const AT_ENDS = 5;

const firstTime = (messages: readonly StoredMessage[]): number | null =>
  messages.find(({ at }) => at !== null)?.at ?? null;

const newestEnd = async (
  ctx: Context,
  conversation: Conversation,
  source: Source,
): Promise<OrderedSource['newest']> => {
  if (source.type !== 'list' || source.length < 2) return 'tail';
  const asTail: OrderedSource = { ...source, newest: 'tail' };
  const asHead: OrderedSource = { ...source, newest: 'head' };
  const ends = await Promise.all(
    [asTail, asHead].map((end) => readPlaces(ctx, end, source.length - 1, AT_ENDS)),
  );
  const [tail, head] = await Promise.all(ends.map((end) => loadMessages(ctx, conversation, end)));
  const [atTail, atHead] = [firstTime(tail!), firstTime(head!)];
  return atTail !== null && atHead !== null && atHead > atTail ? 'head' : 'tail';
};

/** A conversation with those of its keys that have messages. */
export interface OrderedConversation extends Conversation {
  ordered: OrderedSource[];
}

/** Finds the end of each key where new messages arrive: the later one by the times of both ends. */
export const orderSources = async (
  ctx: Context,
  conversation: Conversation,
): Promise<OrderedConversation> => {
  const filled = conversation.sources.filter(({ length }) => length > 0);
  const ends = await Promise.all(filled.map((source) => newestEnd(ctx, conversation, source)));
  return { ...conversation, ordered: filled.map((source, i) => ({ ...source, newest: ends[i]! })) };
};

const DIGEST_LENGTH = 27;

/** A digest of a message with all that was read of it, for its id. Reveals nothing of it. */
export const messageDigest = ({ connection }: Pick<ReadContext, 'connection'>, message: StoredMessage) => {
  const { record } = message;
  const fields = record ? [record.fields.sender, record.fields.time, record.fields.content] : [];
  const parts = fields.flatMap((field) =>
    field ? [Buffer.from(`${field.length}:`), field.bytes] : [Buffer.from('-')],
  );
  const own = Buffer.from(`message\0${connection.config.id}\0${record?.key?.toString('hex') ?? ''}\0`);
  return digest('etag', Buffer.concat([own, elementBytes(message), ...parts]), DIGEST_LENGTH);
};

/** An id for `conversations.deleteMessage`: the key, the place, and the digest. */
export interface MessageId {
  source: number;
  place: number;
  digest: string;
}

export const messageId = (ctx: Pick<ReadContext, 'connection'>, message: StoredMessage): string =>
  `${message.source.index}.${message.place}.${messageDigest(ctx, message)}`;

/** Null for text that is not a message's id. */
export const parseMessageId = (text: string): MessageId | null => {
  const [, source, place, mark] = /^(\d{1,3})\.(\d{1,12})\.([\w-]{27})$/.exec(text) ?? [];
  return mark === undefined ? null : { source: Number(source), place: Number(place), digest: mark };
};
