import 'server-only';
import type { EntityDefinition } from '@/lib/catalog/entities';
import { canonicalId } from '@/lib/catalog/entity-ids';
import { MASK } from '@/lib/catalog/mask';
import type { ReadContext } from '@/lib/command/context';
import type { Cut } from '@/lib/keys/etag';
import { identify } from '@/lib/keys/identity';
import { type DecodingBudget, wholeCharacters } from '@/lib/keys/show-bytes';
import { type ValueAccess, valueAccess } from '@/lib/keys/value-access';
import { isoOrNull } from '@/lib/time';
import { readTime } from '@/lib/values/read-time';
import { targetOf } from '../kinds';
import { readRefs } from '../references';
import type { EntityRef, Message } from '../schema';
import { type ShownText, showField, showMember } from '../show';
import type { Conversation } from './sources';
import { messageId, type StoredMessage } from './stored-messages';
import { parseText } from './text-message';

type Context = Pick<ReadContext, 'actor' | 'catalog' | 'connection' | 'reader'>;

/** Bytes of a message in an answer. */
const MAX_CONTENT_BYTES = 2048;
const MAX_SENDER_BYTES = 200;

/** What decoding the messages of one answer may cost. */
export const newDecodingBudget = (): DecodingBudget => ({ bytesLeft: 2 ** 20, msLeft: 100 });

const cutText = (text: string, max: number): { text: string; truncated: boolean } => {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return { text, truncated: false };
  return { text: wholeCharacters(bytes.subarray(0, max)).toString('utf8'), truncated: true };
};

/** A message for an answer, before what is known of its sender. */
export type ShownMessage = Omit<Message, 'id' | 'senderRef'>;

const shownMessage = (
  parts: { sender: string | null; time: string | null; at: number | null; content: string | null },
  isCut: boolean,
  problem: Message['problem'],
): ShownMessage => {
  const content = parts.content === null ? null : cutText(parts.content, MAX_CONTENT_BYTES);
  return {
    at: isoOrNull(parts.at),
    time: parts.time,
    sender: parts.sender === null ? null : cutText(parts.sender, MAX_SENDER_BYTES).text,
    content: content?.text ?? null,
    truncated: isCut || (content?.truncated ?? false),
    problem,
  };
};

const orMask = ({ value }: ShownText): string => value ?? MASK;

/** The text of an element, masked before it is divided: a secret may have separators in it. */
const showText = async (
  ctx: Context,
  { definition }: Conversation,
  { source, text, at }: StoredMessage,
  decoding: DecodingBudget,
): Promise<ShownMessage> => {
  const shown = await showMember(text, { catalog: ctx.catalog, access: source.access, decoding });
  const whole = orMask(shown);
  const isHidden = shown.value === null;
  if (!definition.text || isHidden)
    return shownMessage({ sender: source.sender, time: null, at, content: whole }, shown.truncated, null);
  const parsed = parseText(whole, definition.text);
  const { sender, problem } = parsed;
  return shownMessage(
    { ...parsed, sender: sender ?? source.sender, at: parsed.at ?? at },
    shown.truncated,
    at !== null && problem === 'noTime' ? null : problem,
  );
};

const NO_TEXT = { sender: null, time: null, at: null, content: null };

const showRecord = async (
  ctx: Context,
  { definition }: Conversation,
  { source, record }: StoredMessage,
  decoding: DecodingBudget,
  access: ValueAccess | null,
): Promise<ShownMessage> => {
  const { state, fields } = record!;
  const names = definition.message!;
  if (state !== 'found' || !access) {
    const problem = state === 'missing' ? 'missing' : 'unreadable';
    return shownMessage({ ...NO_TEXT, sender: source.sender }, false, problem);
  }
  const show = (name: string, cut: Cut | null): Promise<ShownText> | null =>
    cut && showField(name, cut, { catalog: ctx.catalog, access, decoding });
  const [sender, time, content] = await Promise.all([
    show(names.sender, fields.sender),
    show(names.time, fields.time),
    show(names.content, fields.content),
  ]);
  const at = time?.value ? readTime(time.value) : null;
  const parts = {
    sender: sender ? orMask(sender) : source.sender,
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

/** References to entities of a kind by their ids, in order. */
export const refsOf = async (
  ctx: Context,
  entity: EntityDefinition,
  ids: readonly string[],
): Promise<EntityRef[]> => {
  const refs = await readRefs(ctx, entity, ids);
  return ids.map((id, i) => ({
    ...{ kind: entity.kind, app: entity.app, id, title: refs[i]!.title, exists: refs[i]!.exists },
    ...{ score: null, linkable: canonicalId(entity, id) !== null, self: false },
  }));
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
  const ids = [...new Set(shown.flatMap(({ sender }) => (sender === null ? [] : [sender])))];
  const known = kind ? ids.filter((id) => canonicalId(kind, id) === id) : [];
  const refs = kind ? await refsOf(ctx, kind, known) : [];
  const bySender = new Map(refs.map((ref) => [ref.id, ref]));
  return shown.map((message, i) => ({
    ...{ id: messageId(ctx, messages[i]!), ...message },
    senderRef: (message.sender !== null && bySender.get(message.sender)) || null,
  }));
};
