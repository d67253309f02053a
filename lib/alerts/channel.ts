import 'server-only';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Attempt, failed, type Rest } from '@/lib/attempt';
import { badField } from '@/lib/errors';
import { open, seal } from '@/lib/keyring';
import { isAddress, sendMail } from '@/lib/mail';
import type { ChannelKind } from './channels/schema';
import type { Outgoing } from './outgoing';
import { post, signatureOf } from './post';
import type { StoredChannel } from './stored-rule';
import { checkUrl } from './target';

/** What is sealed of a channel. */
const secrets = z.object({
  url: z.string().optional(),
  to: z.array(z.string()).optional(),
  /** Signs the messages of a webhook. */
  secret: z.string().optional(),
});
export type ChannelSecrets = z.output<typeof secrets>;

const contextOf = (connection: string, id: string): string => `${connection} ${id}`;

export const sealSecrets = (connection: string, id: string, given: ChannelSecrets): string =>
  seal('alert', Buffer.from(JSON.stringify(given)), contextOf(connection, id)).toString('base64');

/** null when it was sealed under another KEYWARD_SECRET_KEY, or altered. */
export const openSecrets = (
  connection: string,
  { id, sealed }: Pick<StoredChannel, 'id' | 'sealed'>,
): ChannelSecrets | null => {
  const plain = open('alert', Buffer.from(sealed, 'base64'), contextOf(connection, id));
  return plain ? secrets.parse(JSON.parse(plain.toString())) : null;
};

export const newSecret = (): string => randomBytes(32).toString('base64url');

interface Given {
  url?: string | undefined;
  to?: string[] | undefined;
}

const checkedUrl = (text: string): string => {
  try {
    return checkUrl(text).href;
  } catch (error) {
    throw badField('url', (error as Error).message);
  }
};

/** The address of a channel. Throws 400 for one of another kind, or that is not sent to. */
export const addressOf = (kind: ChannelKind, { url, to }: Given): Pick<ChannelSecrets, 'url' | 'to'> => {
  const [given, other] = kind === 'email' ? ['to', 'url'] : ['url', 'to'];
  if ((kind === 'email' ? url : to) !== undefined)
    throw badField(other!, `A channel of the kind ${kind} has none.`);
  if ((kind === 'email' ? to : url) === undefined)
    throw badField(given!, `A channel of the kind ${kind} needs it.`);
  if (kind !== 'email') return { url: checkedUrl(url!) };
  if (!to!.every(isAddress))
    throw badField('to', 'Each must be one e-mail address, such as ops@example.org.');
  return { to: to! };
};

/** What is shown of an address: its host, because the path is often a secret. */
export const targetOf = ({ url, to }: ChannelSecrets): string =>
  to ? to.join(', ') : `${new URL(url!).host}/•••`;

/** Sends a message once. Never throws. */
export const send = async (
  connection: string,
  channel: StoredChannel,
  message: Outgoing,
  { now = Date.now(), rest }: { now?: number; rest?: Rest | null | undefined } = {},
): Promise<Attempt> => {
  const opened = openSecrets(connection, channel);
  if (!opened)
    return failed('The channel was sealed under another KEYWARD_SECRET_KEY: enter its address again.', false);
  const { url = '', to = [], secret } = opened;
  if (channel.kind === 'email') return sendMail({ id: message.id, to, rest, ...message.mail });
  if (channel.kind === 'slack') return post({ url, body: message.slack, headers: {} });
  const body = message.webhook;
  return post({
    url,
    body,
    headers: { 'x-keyward-id': message.id, 'x-keyward-signature': signatureOf(secret ?? '', body, now) },
  });
};
