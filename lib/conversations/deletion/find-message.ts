import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { badField, Problem } from '@/lib/errors';
import { readNear } from '../elements';
import {
  loadMessages,
  type MessageId,
  messageDigest,
  type OrderedConversation,
  parseMessageId,
  type StoredMessage,
} from '../stored-messages';

type Context = Pick<ReadContext, 'catalog' | 'connection' | 'reader'>;

export const goneMessage = (): Problem =>
  new Problem(
    'changed',
    'This message was changed, moved or deleted since you read it. Read the conversation again.',
  );

/** The parts of an id. Throws 400 for text that cannot be a message's id with this many keys. */
export const openMessageId = (text: string, keys: number): MessageId => {
  const id = parseMessageId(text);
  if (!id || id.source >= keys)
    throw badField('messageId', 'This is not the id of a message of this conversation.');
  return id;
};

/** The messages that are what the id says, nearest first, within the places that it may have moved. */
export const messagesLike = async (
  ctx: Context,
  conversation: OrderedConversation,
  { source: index, place, digest }: MessageId,
): Promise<StoredMessage[]> => {
  const source = conversation.ordered.find((one) => one.index === index);
  if (!source) return [];
  const near = await readNear(ctx, source, place);
  const found = (await loadMessages(ctx, conversation, near)).filter(
    (message) => messageDigest(ctx, message) === digest,
  );
  return found.sort((a, b) => Math.abs(a.place - place) - Math.abs(b.place - place));
};

/** Throws 412 where the message is gone. */
export const findMessage = async (
  ctx: Context,
  conversation: OrderedConversation,
  id: MessageId,
): Promise<StoredMessage> => {
  const [nearest] = await messagesLike(ctx, conversation, id);
  if (!nearest) throw goneMessage();
  return nearest;
};
