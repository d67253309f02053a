import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Member } from '@/lib/entities/members';
import { badField } from '@/lib/errors';
import { digest, open, sealSame } from '@/lib/keyring';
import { keyFromId, keyId } from '@/lib/keyspace/display';

type Context = Pick<ReadContext, 'connection'>;

const contextOf = ({ connection }: Context): string => `${connection.config.id} member`;

/**
 * The id of a member: plain base64url, sealed (`s.`) where it is masked or empty. Of a member over 8 KiB, which is not
 * read completely, a digest (`h.`) that only tells it from others.
 */
export const memberIdOf = (ctx: Context, { bytes, length }: Member, isMasked: boolean): string => {
  if (bytes.length < length)
    return `h.${digest('key-handle', Buffer.concat([Buffer.from(`${contextOf(ctx)}\0${length}\0`), bytes]))}`;
  if (length > 0 && !isMasked) return keyId(bytes);
  return `s.${sealSame('key-id', bytes, contextOf(ctx)).toString('base64url')}`;
};

const fault = (message: string) => badField('memberId', message);

/** The member of an id. Throws 400 where it is none of this connection, and for a digest. */
export const memberOfId = (ctx: Context, id: string): Buffer => {
  if (id.startsWith('h.')) throw fault('This member is longer than 8 KiB: remove it in the key inspector.');
  const bytes = keyFromId(id.startsWith('s.') ? id.slice(2) : id);
  const member = bytes && (id.startsWith('s.') ? open('key-id', bytes, contextOf(ctx)) : bytes);
  if (!member) throw fault('This is not a member id of this connection.');
  return member;
};
