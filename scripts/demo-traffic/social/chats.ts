import type { Batch } from '../batch';
import { expire } from './accounts';
import type { Message } from './video-model';
import { key, type SocialWorld } from './world';

/** Messages of pairs with one of these as lower id are in the documented format, all others in the application's. */
const DOCUMENTED = new Set([2, 3]);

export const isDocumented = ({ from, to }: Message): boolean => DOCUMENTED.has(Math.min(from, to));

export const messageKey = (message: Message): Buffer =>
  key(isDocumented(message) ? 'minidouyin.msg' : 'minidouyin.content', { id: message.id });

export const recordKey = (message: Message): Buffer => {
  const params = { low: Math.min(message.from, message.to), high: Math.max(message.from, message.to) };
  return key(isDocumented(message) ? 'minidouyin.msg-record' : 'minidouyin.chatrec', params);
};

/** The message, its place in the chat's record, and the pair with its latest message. */
export const writeMessage = (world: SocialWorld, batch: Batch, message: Message, isNew = true): void => {
  const { id, from, to, content, createdAt } = message;
  const at = messageKey(message);
  batch.add('HSET', [at, 'ID', id, 'FromID', from, 'ToID', to, 'Content', content, 'CreateTime', createdAt]);
  expire(world, batch, at, isNew);
  batch.add('ZADD', [recordKey(message), id, id]);
  expire(world, batch, recordKey(message), isNew);
  // The application sorts the two as texts: 10 precedes 9.
  const [a, b] = [String(from), String(to)].sort() as [string, string];
  const friend = key('minidouyin.friend', { a, b });
  batch.add('HSET', [friend, 'FromID', from, 'ToID', to, 'Message', content, 'MessageType', 1]);
  expire(world, batch, friend, isNew);
};

export const writeChats = (world: SocialWorld, batch: Batch): void => {
  for (const message of world.video.messages.values()) writeMessage(world, batch, message, false);
};
