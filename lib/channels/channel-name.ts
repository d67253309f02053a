import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyOfId } from '@/lib/command/key-ids';
import { badField } from '@/lib/errors';
import { digest, sealSame } from '@/lib/keyring';
import { createLocator } from '@/lib/keyspace/classify';
import { cutName, keyId, maskedName } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import { hasOwnPrefix } from '@/lib/keyspace/guarded';
import { MASK } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import { processWidePer } from '@/lib/process-wide';
import { bytesOfName } from '@/lib/visible-text';
import { MAX_NAME_BYTES } from './schema';

type Context = Pick<ReadContext, 'catalog' | 'connection'>;

/** A channel for answers. */
export interface NamedChannel {
  shown: string;
  id: string | null;
  family: Family | null;
  /** Distinguishes names that are shown alike, and reveals nothing about them. */
  digest: string;
}

/** Keyspace notifications have a key in their channel's name, or an event and the key as payload. */
const KEYSPACE = /^__keyspace@\d{1,10}__:/;
const KEYEVENT = /^__keyevent@\d{1,10}__:/;
const MAX_PREFIX = 30;

const prefixOf = (name: Buffer, pattern: RegExp): string | null =>
  pattern.exec(name.toString('latin1', 0, MAX_PREFIX))?.[0] ?? null;

/** Whether payloads of this channel are names of keys. */
export const carriesKeys = (name: Buffer): boolean => prefixOf(name, KEYEVENT) !== null;

/** What of a catalog channels are named by. */
const forChannels = processWidePer('catalogs for channels', (catalog: Registry) => {
  const { families } = catalog;
  // No channel is a bare key, of which every name could be one.
  const named = families.filter(({ identifyingFields }) => identifyingFields === undefined);
  const shown: Registry = { ...catalog, locate: createLocator(named) };
  // Families of keys may have the same pattern.
  const locate = createLocator(families.filter(({ type }) => type === 'channel'));
  return { shown, locate };
});

const maskedChannel = (name: Buffer, catalog: Registry): string => {
  const prefix = prefixOf(name, KEYSPACE);
  if (prefix !== null) return prefix + maskedName(name.subarray(prefix.length), catalog);
  return maskedName(name, forChannels(catalog).shown);
};

/** The channel family of a name; null for any other. */
export const familyOfChannel = (name: Uint8Array, catalog: Registry): Family | null =>
  forChannels(catalog).locate(name).family;

const idOf = (name: Buffer, masked: string, connection: string): string | null => {
  if (name.length > MAX_NAME_BYTES) return null;
  if (name.length > 0 && !masked.includes(MASK)) return keyId(name);
  return `s.${sealSame('key-id', name, connection).toString('base64url')}`;
};

/** Names of a catalog that were shown lately: a busy channel is named once. */
const namedBefore = processWidePer('named channels', (_: Registry) => new Map<string, NamedChannel>());
const MAX_REMEMBERED = 20_000;
const MAX_REMEMBERED_BYTES = 300;

/** How a channel is shown, its id for links and its family. A name with a secret gets a sealed id. */
export const namedChannel = ({ catalog, connection }: Context, name: Buffer): NamedChannel => {
  const { id } = connection.config;
  const known = namedBefore(catalog);
  const place = `${id} ${name.toString('latin1', 0, MAX_REMEMBERED_BYTES)}`;
  const isShort = name.length <= MAX_REMEMBERED_BYTES;
  const before = isShort ? known.get(place) : undefined;
  if (before) return before;
  const masked = maskedChannel(name, catalog);
  const named = {
    shown: cutName(masked),
    id: idOf(name, masked, id),
    family: familyOfChannel(name, catalog),
    digest: digest('cursor', name, 16),
  };
  if (known.size >= MAX_REMEMBERED) known.clear();
  if (isShort) known.set(place, named);
  return named;
};

/** The bytes of a channel's id. Throws 400 for one of another connection or none. */
export const channelOfId = (ctx: Context, id: string, path = 'channelId'): Buffer => {
  const name = keyOfId(ctx, id);
  if (!name || name.length > MAX_NAME_BYTES)
    throw badField(path, 'This is not a channel id of this connection.');
  return name;
};

/** The channel that an input names. Throws 400. */
export const channelOf = (
  ctx: Context,
  { channel, channelId }: { channel?: string | undefined; channelId?: string | undefined },
): Buffer => {
  if (channelId !== undefined) return channelOfId(ctx, channelId);
  const name = Buffer.from(bytesOfName(channel ?? ''));
  if (name.length > MAX_NAME_BYTES) throw badField('channel', `At most ${MAX_NAME_BYTES} bytes.`);
  return name;
};

/** The console's own channels are not listed: they exist for as long as it samples. */
export const isOwnChannel = (name: Buffer): boolean => hasOwnPrefix(name);

const OF_THE_SERVER = /^__(?:key(?:space|event)@\d+__:|sentinel__:|redis__:)/;

/** Whether only the server, or the console, publishes there: a message of ours would be taken for one of theirs. */
export const isReserved = (name: Buffer): boolean =>
  isOwnChannel(name) || OF_THE_SERVER.test(name.toString('latin1', 0, MAX_PREFIX));
