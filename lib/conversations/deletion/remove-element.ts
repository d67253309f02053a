import 'server-only';
import { createHash } from 'node:crypto';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { listEdits } from '@/lib/key-values/edits/list-edits';
import { memberEdits } from '@/lib/key-values/edits/member-edits';
import type { Step } from '@/lib/key-values/edits/step';
import { cutOf } from '@/lib/key-values/etag';
import { type Look, lookOrNull, MAX_EDITED_BYTES } from '@/lib/key-values/look';
import { applyEdit } from '@/lib/key-values/stored-call';
import type { Arg } from '@/lib/redis/commands';
import { readPlaces } from '../elements';
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

/** The digest of the next older message, as the script makes it; '' where there is none. */
const olderDigest = async (ctx: WriteContext, { source, place }: StoredMessage): Promise<string> => {
  if (place === 0) return '';
  const [older] = await readPlaces(ctx, source, place - 1, 1);
  if (!older) return '';
  if (older.text.length > MAX_EDITED_BYTES) throw tooLarge();
  const [whole] = await ctx.reader.range('LRANGE', source.key, -place, 1);
  return whole ? createHash('sha1').update(whole).digest('hex') : '';
};

/**
 * The edit and its undo. In a list that grows at its head the index is counted from the tail, so that new messages do not
 * move it; the script then returns the newer neighbour only.
 */
const listEdit = async (ctx: WriteContext, message: StoredMessage, found: Look): Promise<Step> => {
  const { place, source } = message;
  const index = indexOf(message);
  const step = listEdits.removeAt.make({ op: 'removeAt', index, element: '' }, found);
  if (source.newest === 'tail') return step;
  const older = await olderDigest(ctx, message);
  const [, value, marker] = step.args as readonly [Arg, Arg, Arg];
  return {
    ...step,
    undo: ([, newer, length]) => ({
      edit: 'insertAt',
      args: [(length as number) - place, value, marker, newer as Arg, older, length as number],
    }),
  };
};

/** Where Redis finds the message while new ones arrive. */
const indexOf = ({ place, source }: StoredMessage): number =>
  source.newest === 'tail' ? place : -(place + 1);

/** A trimmed list may move while it is looked at. */
const MAX_ATTEMPTS = 3;

const removeFromList = async (
  ctx: WriteContext,
  conversation: OrderedConversation,
  id: MessageId,
): Promise<AuditJson> => {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const message = await findMessage(ctx, conversation, id);
    const at = { what: 'index' as const, which: indexOf(message) };
    const found = await lookOrNull(ctx, message.source.key, at);
    if (found?.element === 'too large') throw tooLarge();
    if (found?.element !== 'found') continue;
    const text = cutOf(found.read as Buffer);
    if (messageDigest(ctx, { ...message, text }) !== id.digest) continue;
    const { undo } = await applyEdit(ctx, found, await listEdit(ctx, message, found));
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
  const step = memberEdits.removeMember.make(edit, found);
  const { undo } = await applyEdit(ctx, found, step);
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
