import { z } from 'zod';
import { changeInput, changeResult, contract, isoTime, pageInput, pageInputOf, pageOf } from '@/lib/contract';
import { entityRef, idText, kindText } from '@/lib/entities/schema';

export const message = z.object({
  id: z.string().meta({ description: 'For `conversations.deleteMessage`.' }),
  at: isoTime.nullable(),
  time: z.string().nullable().meta({ description: 'As stored.' }),
  sender: z.string().nullable(),
  senderRef: entityRef.nullable(),
  content: z.string().nullable().meta({ description: 'null when its record is gone.' }),
  truncated: z.boolean(),
  problem: z.enum(['noSeparator', 'noTime', 'missing', 'unreadable']).nullable(),
});
export type Message = z.output<typeof message>;

const conversationRow = z.object({
  kind: z.string(),
  app: z.string(),
  id: z.string(),
  title: z.string(),
  linkable: z.boolean(),
  members: z.number().nullable(),
  messages: z.number().nullable(),
  perHour: z.number().nullable().meta({ description: 'By the times of its last 100 messages.' }),
  latest: message.nullable(),
  ttlSeconds: z.number().nullable(),
  problem: z.enum(['wrongType', 'unreadable']).nullable(),
});
export type ConversationRow = z.output<typeof conversationRow>;

const base = '/api/v1/connections/{connection}/conversations';
const named = { kind: kindText, id: idText };

export const conversationContracts = {
  list: contract({
    id: 'conversations.list',
    method: 'GET',
    path: base,
    permission: 'keys:view',
    summary: 'Chats and rooms as a scan finds them, with their latest message.',
    input: z.strictObject({ kind: kindText.optional(), q: z.string().max(200).optional(), ...pageInput }),
    result: pageOf(conversationRow).extend({ examined: z.number(), total: z.number().nullable() }),
  }),
  messages: contract({
    id: 'conversations.messages',
    method: 'GET',
    path: `${base}/messages`,
    permission: 'keys:view',
    summary: 'The messages of a chat or a room, latest first. With `q`, those that contain it.',
    input: z.strictObject({ ...named, q: z.string().min(1).max(200).optional(), ...pageInputOf(50) }),
    result: pageOf(message).extend({
      messages: z.number().nullable(),
      examined: z.number().meta({ description: 'Messages looked at for this page.' }),
      perHour: z.number().nullable(),
      members: z.array(entityRef),
      problem: z
        .enum(['wrongType', 'unreadable'])
        .nullish()
        .meta({ description: 'Of a key of the conversation whose messages are not among these.' }),
    }),
  }),
  deleteMessage: contract({
    id: 'conversations.deleteMessage',
    method: 'POST',
    path: `${base}/messages/delete`,
    touches: ['conversations', 'entities.get', 'entities.relation'],
    permission: 'keys:write',
    summary: 'Deletes one message as it was read.',
    input: changeInput({ ...named, messageId: z.string().min(1).max(200) }),
    result: changeResult({ deleted: z.boolean(), messages: z.number().nullable() }),
  }),
};
