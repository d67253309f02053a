import 'server-only';
import { notFound } from '@/lib/errors';
import { digest, open, seal } from '@/lib/keyring';
import type { Family } from '@/lib/keyspace/family';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';

/** 132 bits: the id of a queue in the store, which does not reveal its name. */
const ID_CHARS = 22;

export const queueIdOf = (connection: string, key: Key): string =>
  digest('key-handle', Buffer.concat([Buffer.from(`${connection}\0queue\0`), key]), ID_CHARS);

const contextOf = (connection: string): string => `${connection} queue`;

/** The name of a queue as the store keeps it. */
export const sealName = (connection: string, key: Key): string =>
  seal('names', key, contextOf(connection)).toString('base64url');

/** Null where it was sealed under another key. */
export const openName = (connection: string, sealed: string): Key | null =>
  open('names', Buffer.from(sealed, 'base64url'), contextOf(connection));

/** The family by which a key is a queue. Throws 404 where it is none. */
export const queueNamed = ({ catalog }: { catalog: Registry }, key: Key): Family => {
  const { family } = catalog.locate(key);
  if (family?.role !== 'queue') throw notFound('This queue');
  return family;
};
