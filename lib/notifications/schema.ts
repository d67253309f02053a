import { z } from 'zod';
import { CHANNEL_KINDS, etag, id, oneLine } from '@/lib/alerts/channels/schema';
import { OUTCOMES } from '@/lib/audit/schema';
import { changeInput, changeResult, contract, isoTime, pageInput, pageOf } from '@/lib/contract';
import { timeZoneName } from '@/lib/users/preferences/schema';

export const MAX_NOTIFICATIONS = 50;
export const MAX_CHANNELS_OF_ONE = 10;
/** What a notification can be about: entries of the audit log, requests that wait, alarms of the audit chain. */
export const ABOUT = ['audit', 'approvals', 'alarms'] as const;
export type About = (typeof ABOUT)[number];
export const WHEN = ['now', 'daily'] as const;

const channelRef = z.strictObject({
  connection: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'This is not the id of a connection.')
    .meta({ description: 'The connection that has the channel.' }),
  channel: id,
});
export type ChannelRef = z.output<typeof channelRef>;

const channels = z.array(channelRef).min(1).max(MAX_CHANNELS_OF_ONE);

/** The filters of `audit.list` that are not about time. */
export const entryFilter = z.strictObject({
  actor: z.string().min(1).max(200).optional(),
  action: z.string().min(1).max(100).optional().meta({ description: 'A part of the operationId.' }),
  target: z.string().min(1).max(200).optional(),
  connection: z.string().min(1).max(100).optional(),
  outcome: z.enum(OUTCOMES).optional().meta({
    description:
      '`pending`: changes without an outcome for five minutes. Without it, changes are sent once they have one.',
  }),
});
export type EntryFilter = z.output<typeof entryFilter>;

/** What a notification says, as it is created, changed and stored. */
export const notificationFields = {
  name: oneLine(100),
  about: z.array(z.enum(ABOUT)).min(1).max(ABOUT.length),
  filter: entryFilter.default({}).meta({ description: 'For `audit`: which entries. All by default.' }),
  remindAfterHours: z.number().int().min(1).max(168).nullable().default(null).meta({
    description: 'For `approvals`, sent at once: one reminder of a request that has waited so long.',
  }),
  when: z.enum(WHEN).default('now').meta({ description: '`daily`: one digest a day.' }),
  hour: z.number().int().min(0).max(23).default(9).meta({ description: 'Of the digest, in `timeZone`.' }),
  timeZone: timeZoneName.default('UTC').meta({ description: 'An IANA name.' }),
  skipEmpty: z
    .boolean()
    .default(false)
    .meta({ description: 'No digest of a day on which nothing happened.' }),
  channels: channels.meta({ description: 'Alert channels.' }),
};

const usableChannel = z.object({
  connection: z.string(),
  channel: z.string(),
  name: z.string(),
  kind: z.enum(CHANNEL_KINDS).nullable().meta({ description: 'null: the channel was deleted.' }),
});

const notification = z.object({
  ...notificationFields,
  id: z.string(),
  channels: z.array(
    usableChannel.extend({
      failingSince: isoTime.nullable().meta({ description: 'null if its last attempt was delivered.' }),
      error: z.string().nullable().meta({ description: 'Of its last attempt.' }),
    }),
  ),
  waiting: z.number().int().meta({ description: 'Messages that are not delivered yet.' }),
  createdBy: z.string(),
  changedAt: isoTime,
  etag: z.string(),
});
export type Notification = z.output<typeof notification>;

const result = z.object({
  connection: z.string(),
  channel: z.string(),
  name: z.string(),
  state: z.enum(['delivered', 'failed']),
  status: z.number().int().nullable().meta({ description: 'Of the answer; null without one.' }),
  ms: z.number().int(),
  error: z.string().nullable(),
});

const base = '/api/v1/notifications';

export const notificationContracts = {
  list: contract({
    id: 'notifications.list',
    method: 'GET',
    path: base,
    permission: 'users:manage',
    summary: 'What Keyward tells of the audit log and through which alert channels, by name.',
    input: z.strictObject(pageInput),
    result: pageOf(notification).extend({
      channels: z.array(usableChannel).meta({ description: 'The alert channels of all connections.' }),
      followedAt: isoTime.nullable().meta({
        description: 'When the audit log was last read for notifications; null if never.',
      }),
    }),
  }),
  create: contract({
    id: 'notifications.create',
    method: 'POST',
    path: base,
    permission: 'users:manage',
    status: 201,
    summary: 'Creates a notification. It is about what happens from then on.',
    input: changeInput(notificationFields),
    result: changeResult({ id: z.string(), etag: z.string() }),
  }),
  update: contract({
    id: 'notifications.update',
    method: 'PUT',
    path: `${base}/{id}`,
    permission: 'users:manage',
    summary: 'Replaces a notification.',
    input: changeInput({ id, etag, ...notificationFields }),
    result: changeResult({ id: z.string(), etag: z.string() }),
  }),
  delete: contract({
    id: 'notifications.delete',
    method: 'DELETE',
    path: `${base}/{id}`,
    permission: 'users:manage',
    summary: 'Deletes a notification, with its messages that are not delivered yet.',
    input: changeInput({ id, etag }),
    result: changeResult({ id: z.string() }),
  }),
  test: contract({
    id: 'notifications.test',
    method: 'POST',
    path: `${base}/test`,
    permission: 'users:manage',
    summary: 'Sends a test message through some channels and answers what happened. Ten per minute.',
    input: changeInput({ name: oneLine(100), channels }),
    result: changeResult({ results: z.array(result) }),
  }),
};
