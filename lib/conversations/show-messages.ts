import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { targetOf } from '@/lib/entities/kinds';
import { refsOfIds } from '@/lib/entities/refs';
import { showField, showMember, showNamePart } from '@/lib/entities/show';
import type { Cut } from '@/lib/key-values/etag';
import { identify } from '@/lib/key-values/identity';
import { type DecodingBudget, wholeCharacters } from '@/lib/key-values/show-bytes';
import type { ShownText } from '@/lib/key-values/show-text';
import { type ValueAccess, valueAccess } from '@/lib/key-values/value-access';
import { canonicalId } from '@/lib/keyspace/entity-ids';
import { MASK } from '@/lib/keyspace/mask';
import { isoOrNull } from '@/lib/time';
import { readTime } from '@/lib/values/read-time';
import { textOf } from '@/lib/values/string-value';
import type { Message } from './schema';
import type { Conversation } from './sources';
import { messageId, type StoredMessage } from './stored-messages';
import { parseText } from './text-message';

type Context = Pick<ReadContext, 'actor' | 'catalog' | 'connection' | 'reader'>;

/** Bytes of a message in an answer. */
const MAX_CONTENT_BYTES = 2048;
const MAX_SENDER_BYTES = 200;

const cutText = (text: string, max: number): { text: string; truncated: boolean } => {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return { text, truncated: false };
  return { text: wholeCharacters(bytes.subarray(0, max)).toString('utf8'), truncated: true };
};

/** A message for an answer, before what is known of its sender. */
export interface ShownMessage extends Omit<Message, 'id' | 'senderRef'> {
  /** The sender exactly as stored; null where it is masked, cut, or no text. */
  senderId: string | null;
}

interface Parts extends Pick<ShownMessage, 'sender' | 'senderId' | 'time' | 'content'> {
  at: number | null;
}

const shownMessage = (parts: Parts, isCut: boolean, problem: Message['problem']): ShownMessage => {
  const content = parts.content === null ? null : cutText(parts.content, MAX_CONTENT_BYTES);
  return {
    at: isoOrNull(parts.at),
    time: parts.time,
    sender: parts.sender === null ? null : cutText(parts.sender, MAX_SENDER_BYTES).text,
    senderId: parts.senderId,
    content: content?.text ?? null,
    truncated: isCut || (content?.truncated ?? false),
    problem,
  };
};

const orMask = ({ value }: ShownText): string => value ?? MASK;

/** Whether a value is shown as it is stored, as far as it was read. */
const isExact = ({ value, masked }: ShownText, { bytes }: Cut): boolean =>
  !masked && value !== null && textOf(wholeCharacters(bytes)) === value;

/** The part of the conversation's id that wrote everything in a key. */
const senderOf = async (
  { catalog }: Context,
  { source }: StoredMessage,
): Promise<Pick<Parts, 'sender' | 'senderId'>> => {
  const sender = source.sender === null ? null : await showNamePart(catalog, source.sender);
  return { sender, senderId: sender === source.sender ? sender : null };
};

/** The text of an element, masked before it is divided: a secret may have separators in it. */
const showText = async (
  ctx: Context,
  { definition }: Conversation,
  message: StoredMessage,
  decoding: DecodingBudget,
): Promise<ShownMessage> => {
  const { source, text, at } = message;
  const shown = await showMember(text, { catalog: ctx.catalog, access: source.access, decoding });
  const whole = orMask(shown);
  const own = await senderOf(ctx, message);
  if (!definition.text || shown.value === null)
    return shownMessage(
      { ...own, time: null, at: source.access.hidden ? null : at, content: whole },
      shown.truncated,
      null,
    );
  const parsed = parseText(whole, definition.text);
  const { sender, problem } = parsed;
  const written = { sender, senderId: isExact(shown, text) ? sender : null };
  return shownMessage(
    { ...parsed, ...(sender === null ? own : written), at: parsed.at ?? at },
    shown.truncated,
    at !== null && problem === 'noTime' ? null : problem,
  );
};

const NO_TEXT = { time: null, at: null, content: null };

const showRecord = async (
  ctx: Context,
  { definition }: Conversation,
  message: StoredMessage,
  decoding: DecodingBudget,
  access: ValueAccess | null,
): Promise<ShownMessage> => {
  const { state, fields } = message.record!;
  const own = await senderOf(ctx, message);
  const names = definition.message!;
  if (state !== 'found' || !access) {
    const problem = state === 'missing' ? 'missing' : 'unreadable';
    return shownMessage({ ...NO_TEXT, ...own }, false, problem);
  }
  const show = (name: string, cut: Cut | null): Promise<ShownText> | null =>
    cut && showField(name, cut, { catalog: ctx.catalog, access, decoding });
  const [sender, time, content] = await Promise.all([
    show(names.sender, fields.sender),
    show(names.time, fields.time),
    show(names.content, fields.content),
  ]);
  const at = time?.value ? readTime(time.value) : null;
  const senderId = sender && !sender.truncated && isExact(sender, fields.sender!) ? sender.value : null;
  const parts = {
    sender: sender ? orMask(sender) : own.sender,
    senderId: sender ? senderId : own.senderId,
    time: time && cutText(orMask(time), MAX_SENDER_BYTES).text,
    at,
    content: content && orMask(content),
  };
  const problem = content === null ? 'unreadable' : at === null ? 'noTime' : null;
  return shownMessage(parts, content?.truncated ?? false, problem);
};

/** Messages as the key inspector would show them, in order. */
export const showTexts = async (
  ctx: Context,
  conversation: Conversation,
  messages: readonly StoredMessage[],
  decoding: DecodingBudget,
): Promise<ShownMessage[]> => {
  const keys = messages.flatMap(({ record }) => (record?.key ? [record.key] : []));
  const identities = (await identify(ctx, keys)).values();
  const shown: ShownMessage[] = [];
  for (const message of messages) {
    if (!message.record) {
      shown.push(await showText(ctx, conversation, message, decoding));
      continue;
    }
    const access = message.record.key ? valueAccess(ctx, identities.next().value!) : null;
    shown.push(await showRecord(ctx, conversation, message, decoding, access));
  }
  return shown;
};

/** Messages for an answer, with what is known of their senders. */
export const withSenders = async (
  ctx: Context,
  conversation: Conversation,
  messages: readonly StoredMessage[],
  shown: readonly ShownMessage[],
): Promise<Message[]> => {
  const { entity, definition } = conversation;
  const kind =
    definition.senderKind === undefined ? null : targetOf(ctx.catalog, entity, definition.senderKind);
  const ids = [...new Set(shown.flatMap(({ senderId }) => senderId ?? []))];
  const known = kind ? ids.filter((id) => canonicalId(kind, id) === id) : [];
  const refs = await refsOfIds(ctx, kind, known);
  const bySender = new Map(known.map((id, i) => [id, refs[i]!]));
  return shown.map(({ senderId, ...message }, i) => ({
    id: messageId(ctx, messages[i]!),
    ...message,
    senderRef: (senderId !== null && bySender.get(senderId)) || null,
  }));
};
