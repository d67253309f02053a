import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { listEdits } from '@/lib/keys/commands/edits/list-edits';
import { memberEdits } from '@/lib/keys/commands/edits/member-edits';
import type { Step } from '@/lib/keys/commands/edits/step';
import { DONE, type Look, look, MAX_EDITED_BYTES, runOn } from '@/lib/keys/commands/look';
import { callArgs, storeCall } from '@/lib/keys/commands/stored-call';
import { cutOf } from '@/lib/keys/etag';
import type { Key } from '@/lib/redis/commands';
import {
  type MessageId,
  messageDigest,
  type OrderedConversation,
  type StoredMessage,
} from '../stored-messages';
import { findMessage, goneMessage } from './find-message';

const tooLarge = (): Problem =>
  new Problem(
    'no_undo',
    `This message has more than ${MAX_EDITED_BYTES / 2 ** 20} MiB, which undo cannot store.`,
  );

/** New messages at the head move the others while they are looked at. */
const MAX_ATTEMPTS = 5;

/** The key and the element at one moment; null where the key does not exist. */
const lookOrNull = async (...args: Parameters<typeof look>): Promise<Look | null> => {
  try {
    return await look(...args);
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null;
    throw error;
  }
};

/** Makes the edit; what undoes it, or null where the element is no longer there. */
const make = async (ctx: WriteContext, key: Key, found: Look, step: Step): Promise<AuditJson | null> => {
  const { type } = found.state;
  const args = callArgs({ ...step, type, content: '', expires: -1 });
  const { state, results } = await runOn(ctx, 'key-edit', [key], args);
  if (state !== DONE) return null;
  const [exists, ...more] = results;
  const left = exists === 1 ? type : 'none';
  return storeCall({ ...step.undo(more), key, content: '', type: left, expires: found.expires });
};

const removeFromList = async (
  ctx: WriteContext,
  conversation: OrderedConversation,
  id: MessageId,
): Promise<AuditJson> => {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const message = await findMessage(ctx, conversation, id);
    const { key, newest } = message.source;
    const length = await ctx.reader.read(['LLEN', key]);
    const index = newest === 'tail' ? message.place : length - 1 - message.place;
    const found = index < 0 ? null : await lookOrNull(ctx, key, { what: 'index', which: index });
    if (found?.element === 'too large') throw tooLarge();
    if (found?.element !== 'found') continue;
    const text = cutOf(found.read as Buffer);
    if (messageDigest(ctx, { ...message, text }) !== id.digest) continue;
    const undo = await make(
      ctx,
      key,
      found,
      listEdits.removeAt.make({ op: 'removeAt', index, element: '' }, found),
    );
    if (undo !== null) return undo;
  }
  throw goneMessage();
};

/** The complete member, of which only the beginning was read. */
const wholeMember = async (ctx: WriteContext, message: StoredMessage): Promise<Buffer> => {
  const { source, place, text } = message;
  if (text.length === text.bytes.length) return text.bytes;
  if (text.length > MAX_EDITED_BYTES) throw tooLarge();
  const [member] = await ctx.reader.range('ZRANGE', source.key, place, 1);
  return member ?? text.bytes;
};

const removeMember = async (
  ctx: WriteContext,
  conversation: OrderedConversation,
  id: MessageId,
): Promise<AuditJson> => {
  const message = await findMessage(ctx, conversation, id);
  const { key } = message.source;
  const member = await wholeMember(ctx, message);
  if (messageDigest(ctx, { ...message, text: cutOf(member) }) !== id.digest) throw goneMessage();
  const found = await lookOrNull(ctx, key, { what: 'member', which: member });
  if (found?.element !== 'found' || Number(found.read) !== Number(message.score)) throw goneMessage();
  const edit = { op: 'removeMember' as const, member: { base64: member.toString('base64') }, element: '' };
  const undo = await make(ctx, key, found, memberEdits.removeMember.make(edit, found));
  if (undo === null) throw goneMessage();
  return undo;
};

/** Removes the element that the id names, and returns the stored call that undoes it. Throws 412 where it is gone. */
export const removeElement = (
  ctx: WriteContext,
  conversation: OrderedConversation,
  id: MessageId,
  type: string,
): Promise<AuditJson> =>
  type === 'list' ? removeFromList(ctx, conversation, id) : removeMember(ctx, conversation, id);
