import 'server-only';
import { memo, saysKeyward, shownClientName } from '@/lib/calls/client-name';
import { mapInSteps } from '@/lib/in-steps';
import { displayBytes } from '@/lib/keyspace/display';
import { clientFields } from '@/lib/redis/client-line';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { nameBesideOthers } from '@/lib/redis/each-primary';
import { type OwnClients, ownClients } from '@/lib/redis/own-clients';
import { readServer } from '@/lib/redis/server-reads';
import type { Node } from '@/lib/redis/topology';
import type { ClientKind, ClientType, ServerClient } from './schema';

/** Number of clients parsed before other requests are served. */
const PER_STEP = 500;
const MAX_ADDRESS = 200;

/** The first match counts; a subscriber's and a blocked client's other flags are less informative. */
const KINDS: readonly (readonly [flag: string, kind: ClientKind])[] = [
  ['M', 'primary'],
  ['O', 'monitor'],
  ['S', 'replica'],
  ['P', 'pubsub'],
  ['b', 'blocked'],
];

const kindOf = (flags: string): ClientKind => KINDS.find(([flag]) => flags.includes(flag))?.[1] ?? 'normal';

const numberOf = (text: string | undefined): number | null =>
  text !== undefined && /^-?\d{1,16}$/.test(text) ? Number(text) : null;

/** Visible ASCII that needs no masking or escaping. */
const PLAIN = /^[!-~]{1,100}$/;

/** Addresses come from the server, except for the path of a socket. */
const shownAddress = (latin1: string): string =>
  PLAIN.test(latin1) ? latin1 : displayBytes(Buffer.from(latin1, 'latin1'), MAX_ADDRESS);

/** Shows lines of CLIENT LIST, read as latin1: a name need not be UTF-8. */
const shower = (ours: OwnClients, node: string | null) => {
  const named = memo((text) => shownClientName(Buffer.from(text, 'latin1')));
  const commanded = memo((text) => named(text.replace('|', ' ').toUpperCase()) ?? '');
  return (line: string): ServerClient => {
    const fields = clientFields(line);
    const field = (name: string): string => fields.get(name) ?? '';
    const number = (name: string): number | null => numberOf(fields.get(name));
    const address = field('addr');
    const queued = number('multi');
    const own = ours.has(field('id'), address);
    return {
      id: field('id'),
      node,
      name: named(fields.get('name')),
      address: shownAddress(address),
      localAddress: field('laddr') === '' ? null : shownAddress(field('laddr')),
      user: named(fields.get('user')),
      ageSeconds: number('age'),
      idleSeconds: number('idle'),
      command: field('cmd') === 'NULL' ? null : commanded(fields.get('cmd')),
      memoryBytes: number('tot-mem'),
      outputBytes: number('omem'),
      db: number('db'),
      flags: shownAddress(field('flags')),
      kind: kindOf(field('flags')),
      subscriptions: (number('sub') ?? 0) + (number('psub') ?? 0) + (number('ssub') ?? 0),
      queued: queued === null || queued < 0 ? null : queued,
      library: named(fields.get('lib-name')),
      libraryVersion: named(fields.get('lib-ver')),
      own,
      saysKeyward: !own && saysKeyward(field('name')),
    };
  };
};

const linesOf = (reply: unknown): string[] =>
  (reply as Buffer)
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('id='));

const showerOf = (handle: ConnectionHandle, node: Node) =>
  shower(ownClients(node), nameBesideOthers(handle, node));

/** All clients of one server, or those of a type. Throws its refusal. */
export const readClients = async (
  handle: ConnectionHandle,
  node: Node,
  type: ClientType | undefined,
): Promise<ServerClient[]> => {
  const lines = linesOf(
    await readServer(handle, node, type ? ['CLIENT', 'LIST', 'TYPE', type] : ['CLIENT', 'LIST']),
  );
  return mapInSteps(lines, PER_STEP, showerOf(handle, node));
};

/** One client of a server with its address as bytes; null where none has this id. */
export const readClient = async (
  handle: ConnectionHandle,
  node: Node,
  id: string,
): Promise<{ client: ServerClient; address: Buffer } | null> => {
  const [line] = linesOf(await readServer(handle, node, ['CLIENT', 'LIST', 'ID', id]));
  if (line === undefined) return null;
  return {
    client: showerOf(handle, node)(line),
    address: Buffer.from(clientFields(line).get('addr') ?? '', 'latin1'),
  };
};
