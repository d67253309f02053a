import { z } from 'zod';
import { changeInput, changeResult, contract, isoTime, pageInput, pageOf } from '@/lib/contract';
import { LOCALE_IDS } from '@/lib/locales';

export const MAX_CHANNELS = 20;
export const CHANNEL_KINDS = ['webhook', 'slack', 'email'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export const id = z.string().min(1).max(100);
export const etag = z.string().min(1).max(100);
export const oneLine = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]*$/u, 'Must be one line.');

const language = z.enum(LOCALE_IDS).meta({ description: 'Of the messages that are sent to it.' });

const channel = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(CHANNEL_KINDS),
  target: z.string().meta({ description: 'The host of the address, never the address; recipients of mail.' }),
  language,
  rules: z.number().int().meta({ description: 'Rules that use it.' }),
  failingSince: isoTime
    .nullable()
    .meta({ description: 'null if its last attempt was delivered, or none was made.' }),
  error: z.string().nullable().meta({ description: 'Of its last attempt.' }),
  createdBy: z.string(),
  changedAt: isoTime,
  etag: z.string(),
});
export type AlertChannel = z.output<typeof channel>;

const url = z.string().min(1).max(2000).optional();
const channelFields = {
  url: url.meta({ description: 'For `webhook` and `slack`. Stored sealed and never shown.' }),
  to: z
    .array(z.string().trim().min(3).max(254))
    .min(1)
    .max(20)
    .optional()
    .meta({ description: 'For `email`: the recipients.' }),
};
const secret = z
  .string()
  .nullable()
  .meta({ description: 'Of a webhook: the key of its signatures, shown only now.' });

const channels = '/api/v1/connections/{connection}/alert-channels';

export const alertChannelContracts = {
  list: contract({
    id: 'alerts.channels.list',
    method: 'GET',
    path: channels,
    permission: 'users:manage',
    summary: 'Where alerts are delivered, by name, without addresses and secrets.',
    input: z.strictObject(pageInput),
    result: pageOf(channel).extend({
      mail: z.boolean().meta({ description: 'KEYWARD_SMTP_URL is set: without it no mail is sent.' }),
    }),
  }),
  create: contract({
    id: 'alerts.channels.create',
    method: 'POST',
    path: channels,
    permission: 'users:manage',
    status: 201,
    summary: 'Creates a channel. The signing key of a webhook is shown once.',
    input: changeInput({
      name: oneLine(100),
      kind: z.enum(CHANNEL_KINDS),
      language: language.default('en'),
      ...channelFields,
    }),
    result: changeResult({ id: z.string(), etag: z.string(), secret }),
  }),
  update: contract({
    id: 'alerts.channels.update',
    method: 'PATCH',
    path: `${channels}/{id}`,
    permission: 'users:manage',
    summary: 'Changes a channel: its name, language, address or recipients, or a new signing key.',
    input: changeInput({
      id,
      etag,
      name: oneLine(100).optional(),
      language: language.optional(),
      ...channelFields,
      newSecret: z.boolean().optional(),
    }),
    result: changeResult({ id: z.string(), etag: z.string(), secret }),
  }),
  delete: contract({
    id: 'alerts.channels.delete',
    method: 'DELETE',
    path: `${channels}/{id}`,
    permission: 'users:manage',
    summary: 'Deletes a channel that no rule and no notification uses.',
    input: changeInput({ id, etag }),
    result: changeResult({ id: z.string() }),
  }),
  test: contract({
    id: 'alerts.test',
    method: 'POST',
    path: `${channels}/{id}/test`,
    permission: 'users:manage',
    summary: 'Sends a test message through a channel and answers what happened. Ten per minute.',
    input: changeInput({ id }),
    result: changeResult({
      state: z.enum(['delivered', 'failed']),
      status: z.number().int().nullable().meta({ description: 'Of the answer; null without one.' }),
      ms: z.number().int(),
      error: z.string().nullable(),
    }),
  }),
};
