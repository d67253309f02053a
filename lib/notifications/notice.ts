import 'server-only';
import { z } from 'zod';
import { consoleLink, type Outgoing, slackText, subjectOf } from '@/lib/alerts/outgoing';
import { maskSecrets } from '@/lib/keyspace/mask';
import { iso } from '@/lib/time';

/** What a message says, before it is written for a kind of channel. */
export const notice = z.object({
  event: z.enum(['entry', 'approval', 'reminder', 'alarm', 'more', 'digest', 'test']),
  /** The name of the notification. */
  notification: z.string(),
  /** Epoch ms. */
  at: z.number(),
  title: z.string(),
  lines: z.array(z.string()),
  tone: z.enum(['bad', 'warn', 'good', 'plain']),
  /** The page of the console. */
  path: z.string(),
  /** The same as fields, for webhooks. */
  data: z.record(z.string(), z.json()),
});
export type Notice = z.output<typeof notice>;

const MAX_CHARACTERS = 300;

/** What others wrote, as a part of one line: without line breaks and directions, without secrets, and not too long. */
export const oneLineOf = (text: string): string => {
  const line = maskSecrets(text, false)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}\p{Co}]/gu, '');
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line;
};

/** The message as each kind of channel sends it. */
export const outgoingOf = (id: string, given: Notice): Outgoing => {
  const { event, notification, at, title, lines, tone, path, data } = given;
  const href = consoleLink(path);
  const text = lines.join('\n');
  return {
    id,
    webhook: JSON.stringify({ id, event, notification, at: iso(at), title, text, href, ...data }),
    slack: slackText({ title, text, tone, link: href, linkTitle: 'Open in Keyward' }),
    mail: {
      subject: subjectOf(title),
      text: [...lines, '', href, `Sent by the notification "${notification}" of Keyward.`]
        .filter((line) => line !== null)
        .join('\n'),
    },
  };
};
