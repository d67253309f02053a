import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  LIST_BODY_BYTES,
  missingNodes,
  pageInput,
  pageOf,
  shortListInput,
} from '@/lib/contract';

const PATH = '/api/v1/connections/{connection}/channels';

/** Channels and patterns of one tail. */
export const MAX_WATCHED = 20;
export const MAX_NAME_BYTES = 4096;
export const MAX_PAYLOAD_BYTES = 64 * 1024;
/** Messages a second that one listener gets, and the size of a burst. */
export const MAX_PER_SECOND = 100;

export const KINDS = ['channel', 'pattern', 'sharded'] as const;
export type ChannelKind = (typeof KINDS)[number];

const kind = z.enum(KINDS);
const channelId = z.string().min(1).max(8000).meta({
  description: "base64url of the name's bytes; sealed (`s.…`) where the name contains a secret.",
});
const name = z.string().min(1).max(MAX_NAME_BYTES);

const channel = z.object({
  kind,
  channel: z.string().meta({ description: 'For reading only: secrets inside are masked.' }),
  channelId: channelId.nullable().meta({ description: 'null for a name longer than 4 KiB.' }),
  family: z.string().nullable(),
  familyTitle: z.string().nullable(),
  subscribers: z.number().nullable().meta({
    description:
      'Without the subscription of this Keyward process; those of its others count. null for a pattern: Redis does not tell.',
  }),
  messagesPerSecond: z.number().nullable().meta({
    description: 'Of the last ten seconds; null where it is not watched, or its connection is lost.',
  }),
  watched: z.boolean().meta({ description: 'This console process subscribes to it now.' }),
});
export type ChannelRow = z.output<typeof channel>;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const message = z.object({
  id: z.string().meta({ description: 'Unique: the same in the tail and in the history.' }),
  at: isoTime,
  kind,
  channel: z.string(),
  channelId: channelId.nullable(),
  pattern: z.string().nullable().meta({ description: 'The pattern through which it was heard.' }),
  family: z.string().nullable(),
  familyTitle: z.string().nullable(),
  payload: z.string().meta({ description: 'At most 8 KiB; `\\xNN` for bytes that are no text.' }),
  fields: z.record(z.string(), scalar).meta({
    description: 'Of a JSON object: type, user_id, entity_type, action, data.title, payload.id and others.',
  }),
  truncated: z.boolean(),
  bytes: z.number(),
  masked: z.boolean(),
  revealable: z.boolean().meta({ description: 'Whether `channels.reveal` shows more than this.' }),
});
export type LiveMessage = z.output<typeof message>;

const gap = z.object({
  skipped: z.number().nullable().meta({
    description: 'Messages that matched and were not sent; null where the connection was lost.',
  }),
  reason: z.enum(['too_many', 'connection_lost']),
  since: isoTime.nullable(),
  until: isoTime.nullable().meta({ description: 'null while the connection is lost.' }),
});
export type LiveGap = z.output<typeof gap>;

const progress = z.object({
  at: isoTime,
  matched: z.number(),
  sent: z.number(),
  skipped: z.number(),
  messagesPerSecond: z.number().nullable().meta({
    description: 'That match, in the last second, without what is replayed; null before it was measured.',
  }),
});
export type LiveProgress = z.output<typeof progress>;

const word = z.string().trim().min(1).max(200);
const filter = z.strictObject({
  type: word.optional(),
  action: word.optional(),
  entity: word.optional().meta({ description: '`shout`, `456` or `shout:456`.' }),
  text: word.optional().meta({ description: 'Anywhere in the first 8 KiB, without case.' }),
});
export type LiveFilter = z.output<typeof filter>;

/** One channel, by name or by id. */
const oneChannel = { channel: name.optional(), channelId: channelId.optional() };
const isOne = (input: { channel?: string | undefined; channelId?: string | undefined }): boolean =>
  (input.channel === undefined) !== (input.channelId === undefined);
const ONE = { message: 'Give either channel or channelId.', path: ['channel'] };

const names = z.array(name).max(MAX_WATCHED).default([]);
const ids = z.array(channelId).max(MAX_WATCHED).default([]);

const tailInput = z
  .strictObject({
    channels: names,
    channelIds: ids,
    patterns: names.meta({ description: 'As PSUBSCRIBE reads them; `*` is everything.' }),
    patternIds: ids,
    shardChannels: names,
    shardChannelIds: ids,
    filter: filter.default({}),
    replay: z.number().int().min(0).max(MAX_PER_SECOND).default(0).meta({
      description: 'Begin with up to so many of the last messages: they count as matched.',
    }),
  })
  .refine(
    ({ filter: _, replay: __, ...named }) => {
      const count = Object.values(named).reduce((sum, { length }) => sum + length, 0);
      return count >= 1 && count <= MAX_WATCHED;
    },
    { message: `Give 1 to ${MAX_WATCHED} channels and patterns.`, path: ['channels'] },
  );

export const channelContracts = {
  list: contract({
    id: 'channels.list',
    method: 'GET',
    path: PATH,
    permission: 'live:view',
    summary: 'Active channels and patterns with their subscribers, by family.',
    input: z.strictObject({ q: z.string().max(200).optional(), ...shortListInput }),
    result: pageOf(channel).extend({
      active: z.number().meta({ description: 'Active channels, listed or not.' }),
      complete: z.boolean().meta({ description: 'false where there are more than are listed.' }),
      patterns: z.number().meta({
        description: "Different patterns with subscribers, the console's too; of several primaries the sum.",
      }),
      patternClients: z.number().nullable().meta({
        description:
          'Clients with patterns, without those of this Keyward process; null where our user may not list clients.',
      }),
      sharded: z.boolean().meta({ description: 'Whether the server has sharded channels.' }),
      missingNodes,
      sampledAt: isoTime,
    }),
  }),
  tail: contract({
    id: 'channels.tail',
    method: 'POST',
    path: `${PATH}/tail`,
    permission: 'live:view',
    summary: `Messages as they are published: at most ${MAX_PER_SECOND} a second, the others are counted.`,
    stream: true,
    maxBodyBytes: LIST_BODY_BYTES,
    input: tailInput,
    result: z.union([message, gap, progress]),
  }),
  history: contract({
    id: 'channels.history',
    method: 'GET',
    path: `${PATH}/history`,
    permission: 'live:view',
    summary: 'The last messages of a watched channel or pattern, newest first.',
    input: z.strictObject({ channelId, kind: kind.default('channel'), ...pageInput }),
    result: pageOf(message).extend({
      since: isoTime.nullable().meta({ description: 'When watching began; null where it is not watched.' }),
      droppedFromHistory: z
        .number()
        .meta({ description: 'Left out since watching began, because there was no room.' }),
      gaps: z.array(z.object({ since: isoTime, until: isoTime.nullable() })),
    }),
  }),
  reveal: contract({
    id: 'channels.reveal',
    method: 'POST',
    path: `${PATH}/reveal`,
    touches: [],
    permission: 'env:reveal',
    summary: 'The payload of a recent message, with what only looks like a secret; audited.',
    input: changeInput({
      channelId,
      messageId: z.string().min(1).max(100).meta({ description: 'The `id` of the message.' }),
    }),
    result: changeResult({ payload: z.string() }),
  }),
  audience: contract({
    id: 'channels.audience',
    method: 'POST',
    path: `${PATH}/audience`,
    permission: 'live:view',
    summary: 'How many clients listen to a channel now.',
    input: z.strictObject({ ...oneChannel, sharded: z.boolean().default(false) }).refine(isOne, ONE),
    result: z.object({
      channel: z.string(),
      family: z.string().nullable(),
      subscribers: z.number().meta({
        description: 'Without the subscription of this Keyward process; those of its others count.',
      }),
      patternClients: z.number().nullable(),
    }),
  }),
  publish: contract({
    id: 'channels.publish',
    method: 'POST',
    path: `${PATH}/publish`,
    touches: ['channels.list'],
    permission: 'live:publish',
    summary: 'Publishes a message.',
    input: changeInput({
      ...oneChannel,
      payload: z.string().refine((text) => new TextEncoder().encode(text).length <= MAX_PAYLOAD_BYTES, {
        message: 'At most 64 KiB.',
      }),
      sharded: z.boolean().default(false),
    }).refine(isOne, ONE),
    result: changeResult({
      receivers: z.number().meta({
        description:
          'Without the subscriptions of this Keyward process; those of its others count. In a cluster those by name, just before.',
      }),
    }),
    maxBodyBytes: LIST_BODY_BYTES,
  }),
};
