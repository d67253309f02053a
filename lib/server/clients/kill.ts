import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badField, Problem } from '@/lib/errors';
import { displayBytes } from '@/lib/keyspace/display';
import { maskSecrets } from '@/lib/keyspace/mask';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { fromPrimaries } from '@/lib/redis/each-primary';
import { unavailable } from '@/lib/redis/failure';
import type { Node } from '@/lib/redis/topology';
import { readClient } from './client-list';
import { forgetClients } from './list';
import { type ClientKind, clientContracts, type ServerClient } from './schema';

type Kill = Input<typeof clientContracts.kill>;

/** The server may close a connection a moment after it answered. */
const ATTEMPTS = 20;
const RETRY_MS = 50;
const MAX_SHOWN = 100;

const KEPT: Partial<Record<ClientKind, string>> = {
  replica: 'This client is a replica: it would begin a full synchronisation. Nothing was changed.',
  primary: 'This is the link of the replica to its primary. Nothing was changed.',
};

const gone = (): Problem =>
  new Problem('not_found', 'This client is no longer connected. Nothing was changed.');

const changed = (): Problem =>
  new Problem(
    'conflict',
    'The client with this id is not the one that was shown: its address or kind changed. Nothing was changed.',
  );

/**
 * The client with its server. Throws 404, 409 or 400 for a client that is gone, was replaced, or must never be killed,
 * and 503 where an unreachable server may have it. Client ids are unique per server only, so the address decides.
 */
const openClient = async (handle: ConnectionHandle, { id, address }: Kill) => {
  const { answers, missing } = await fromPrimaries(handle, (node) => readClient(handle, node, id));
  const clients = answers.flatMap(({ node, value }) => (value ? [{ node, ...value }] : []));
  const [first, another] = clients.filter(({ client }) => client.address === address.trim());
  if (!first && missing[0]) throw unavailable(handle.config.id, new Error('Connection is closed.'));
  if (!first) throw clients.length > 0 ? changed() : gone();
  if (another) throw changed();
  const { client } = first;
  const why = client.own ? 'This is a connection of Keyward itself. Nothing was changed.' : KEPT[client.kind];
  if (why) throw badField('id', why);
  return first;
};

const untilGone = async (handle: ConnectionHandle, node: Node, id: string): Promise<void> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (!(await readClient(handle, node, id))) return;
    await sleep(RETRY_MS);
  }
  throw new Problem('conflict', 'The server accepted the command, but the client is still connected.', {
    extensions: { inDoubt: true },
  });
};

const factsOf = ({ name, address, user, kind, command, subscriptions, queued }: ServerClient) => ({
  name,
  address,
  user,
  kind,
  command,
  subscriptions,
  queued,
});

const kill = async ({ connection, writer }: WriteContext, input: Kill) => {
  const { node, client, address } = await openClient(connection, input);
  const { id, kind, subscriptions, queued } = client;
  // Kills by id, address and type in one step, so that a changed client survives.
  const type = kind === 'pubsub' ? 'pubsub' : 'normal';
  const isKilled = await writer.killClient(node, { id, address, type });
  if (!isKilled) throw (await readClient(connection, node, id)) ? changed() : gone();
  forgetClients();
  await untilGone(connection, node, id);
  return {
    result: { killed: true as const, blocked: kind === 'blocked', subscriptions, queued },
    before: factsOf(client),
    after: { connected: false },
  };
};

/** The caller typed the address, so it is masked. */
const shown = (address: string): string => maskSecrets(displayBytes(Buffer.from(address), MAX_SHOWN), true);

/** clients.kill: without undo, because only the client itself can connect again. */
export const killClient = defineCommand({
  contract: clientContracts.kill,
  target: ({ id, address }) => `client ${id} at ${shown(address)}`,
  redact: ({ id, address }) => ({ id, address: shown(address) }),
  needsConfirmation: () => true,
  run: kill,
});
