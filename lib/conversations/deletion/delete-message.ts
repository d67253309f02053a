import 'server-only';
import { z } from 'zod';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand, type Undone } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { withDetail } from '@/lib/errors';
import { permissionsFor } from '@/lib/key-values/admission';
import { type KeyCopy, restoreCopy, storeCopy } from '@/lib/key-values/key-copy';
import { shownKey } from '@/lib/key-values/look';
import { undoByCall } from '@/lib/key-values/stored-call';
import { digest } from '@/lib/keyring';
import { refuseUnlessRestorable } from '@/lib/snapshots/restore-keys';
import { MAX_SNAPSHOT_BYTES } from '@/lib/snapshots/snapshots';
import { conversationContracts } from '../schema';
import { countMessages, openConversation, type Source } from '../sources';
import {
  type MessageId,
  type OrderedConversation,
  orderSources,
  type StoredMessage,
} from '../stored-messages';
import { findMessage, goneMessage, messagesLike, openMessageId } from './find-message';
import { removeElement } from './remove-element';
import { restoreElement } from './restore-element';

type Delete = Input<typeof conversationContracts.deleteMessage>;

/** The key of the message and its id. Throws 400 for an id of something else. */
const open = async (ctx: ReadContext, input: Pick<Delete, 'kind' | 'id' | 'messageId'>) => {
  const conversation = await openConversation(ctx, input.kind, input.id);
  const id = openMessageId(input.messageId, conversation.definition.keys.length);
  const source = conversation.sources.find(({ index }) => index === id.source);
  if (!source) throw goneMessage();
  return { conversation, id, source };
};

const needsOf = async (ctx: ReadContext, input: Delete) => {
  const { conversation, source } = await open(ctx, input);
  const records = conversation.definition.message?.keys ?? [];
  const families = records.map(({ family }) => ctx.catalog.get(family) ?? null);
  return permissionsFor(ctx, [source.key], [source.identity.family, ...families]);
};

const TOO_LARGE = `The record of this message uses more than ${MAX_SNAPSHOT_BYTES / 2 ** 20} MiB, which undo cannot store.`;

/** Stores a copy of the hash of the message as it was read. Null where it has none. */
const copyRecord = async (
  ctx: WriteContext,
  conversation: OrderedConversation,
  id: MessageId,
): Promise<KeyCopy | null> => {
  const { record } = await findMessage(ctx, conversation, id);
  if (record?.state !== 'found' || !record.key) return null;
  await refuseUnlessRestorable(ctx.writer, record.key, '');
  const compare = () => findMessage(ctx, conversation, id);
  const copy = await storeCopy(ctx, record.key, { tooLarge: TOO_LARGE, compare });
  if (!copy) throw goneMessage();
  return copy;
};

/** Removes the element, then its hash: all or nothing. Returns what undoes the first. */
const remove = async (
  ctx: WriteContext,
  conversation: OrderedConversation,
  id: MessageId,
  copy: KeyCopy | null,
): Promise<AuditJson> => {
  const { type } = conversation.sources.find(({ index }) => index === id.source)!;
  let undo: AuditJson;
  try {
    undo = await removeElement(ctx, conversation, id, type);
  } catch (error) {
    await copy?.drop();
    throw error;
  }
  if (!copy) return undo;
  const state = await copy.deleteKey().catch(async (error: unknown) => {
    await undoByCall(ctx, undo).catch(() => undefined);
    throw withDetail(error, 'Its place may be gone while its record is still stored.');
  });
  if (state !== 'changed') return undo;
  await undoByCall(ctx, undo);
  await copy.drop();
  throw goneMessage();
};

/** Whether the element and its hash are gone. Of several equal messages one must be missing. */
const isGone = async (
  ctx: WriteContext,
  conversation: OrderedConversation,
  id: MessageId,
  { before, record }: { before: number; record: StoredMessage['record'] },
): Promise<boolean> => {
  const after = await messagesLike(ctx, conversation, id);
  const isStored =
    record?.key && record.state === 'found' && (await ctx.reader.read(['EXISTS', record.key])) === 1;
  return after.length < before && !isStored;
};

const auditDigest = ({ key }: Source, { text, record }: StoredMessage): string => {
  const content = record?.fields.content ?? text;
  const name = Buffer.from(`message\0${key.length}\0`);
  return digest('audit-digest', Buffer.concat([name, key, content.bytes]), 22);
};

const deleteMessage = async (ctx: WriteContext, input: Delete) => {
  const { conversation: opened, id, source } = await open(ctx, input);
  const conversation = await orderSources(ctx, opened);
  const found = await messagesLike(ctx, conversation, id);
  const [message] = found;
  if (!message) throw goneMessage();
  const copy = await copyRecord(ctx, conversation, id);
  const call = await remove(ctx, conversation, id, copy);
  const now = await orderSources(ctx, await openConversation(ctx, input.kind, input.id));
  const deleted = await isGone(ctx, now, id, { before: found.length, record: message.record });
  const messages = countMessages(now.sources);
  const newest = source.type === 'list' ? message.source.newest : null;
  return {
    result: { deleted, messages },
    before: { message: { secret: true, digest: auditDigest(source, message) } },
    after: { deleted, record: copy !== null, messages },
    undo: { call, newest, recordOf: copy ? ctx.auditId : null },
  };
};

const kept = z.strictObject({
  call: z.json(),
  newest: z.enum(['head', 'tail']).nullable(),
  recordOf: z.string().nullable(),
});

const WORDS = {
  exists: 'The record of the message exists again.',
  expired: 'The record of the message would have expired meanwhile.',
  refused: 'The server refuses the stored record of the message.',
  missing: { what: 'record', why: 'The copy of the message is no longer stored.' },
};

/** Restores the hash first, so that the conversation never lists a message without one. */
const undoDelete = async (ctx: WriteContext, data: AuditJson): Promise<Undone> => {
  const { call, newest, recordOf } = kept.parse(data);
  const record = recordOf === null ? null : await restoreCopy(ctx, recordOf, WORDS);
  const element = await restoreElement(ctx, call as AuditJson, newest);
  return {
    undone: element.undone + (record?.undone ?? 0),
    conflicts: [...(record?.conflicts ?? []), ...element.conflicts],
  };
};

/**
 * conversations.deleteMessage: the message that was read, with its hash. 412 if it was changed or is gone. `deleted` is false if
 * the application stored it again at once.
 */
export const deleteMessageCommand = defineCommand({
  contract: conversationContracts.deleteMessage,
  target: async (input, ctx) => shownKey(ctx, (await open(ctx, input)).source.key),
  redact: ({ kind, messageId }) => ({ kind, messageId }),
  needsConfirmation: () => true,
  needs: needsOf,
  run: deleteMessage,
  undo: undoDelete,
  undoNeedsNoConfirmation: true,
});
