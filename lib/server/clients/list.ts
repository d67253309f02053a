import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { fromPrimaries } from '@/lib/redis/each-primary';
import { numberOf, parseInfo } from '@/lib/redis/info';
import { orRefused } from '@/lib/redis/section';
import { readServer } from '@/lib/redis/server-reads';
import type { Node } from '@/lib/redis/topology';
import { iso, SECOND } from '@/lib/time';
import { pagedReadings, pageOfReading } from '../readings';
import { readClients } from './client-list';
import { CLIENT_TYPES, type ClientGroup, type clientContracts, type ServerClient } from './schema';

type List = Input<typeof clientContracts.list>;
type Listed = Result<typeof clientContracts.list>;

/** While it lists its clients the server serves nobody else: about a microsecond per client. */
const SHARED_MS = 3 * SECOND;
/** With this many clients the list is 7 MB and takes the server 20 ms. */
const MAX_CLIENTS = 20_000;
const MAX_GROUPS = 30;

interface Reading {
  at: number;
  state: Listed['state'];
  connected: number | null;
  clients: ServerClient[];
  groups: Pick<Listed, 'byUser' | 'byName' | 'byKind'>;
  refused: Listed['refused'];
  missingNodes: Listed['missingNodes'];
}

const groupsOf = (
  clients: readonly ServerClient[],
  of: (client: ServerClient) => string | null,
): ClientGroup[] => {
  const groups = new Map<string | null, ClientGroup>();
  for (const client of clients) {
    const value = of(client);
    const group = groups.get(value) ?? { value, clients: 0, memoryBytes: 0 };
    group.clients += 1;
    group.memoryBytes += client.memoryBytes ?? 0;
    groups.set(value, group);
  }
  return [...groups.values()].sort((a, b) => b.clients - a.clients).slice(0, MAX_GROUPS);
};

/** Whether the list would be too long, for all clients or one type, by INFO's section of clients. */
export const isTooMany = (info: ReadonlyMap<string, string>, type: List['type']): boolean => {
  if (type === undefined || type === 'normal')
    return (numberOf(info, 'connected_clients') ?? 0) > MAX_CLIENTS;
  if (type !== 'pubsub') return false;
  // Subscribers are counted since Redis 7.4: before, every client may be one.
  return (numberOf(info, 'pubsub_clients') ?? numberOf(info, 'connected_clients') ?? 0) > MAX_CLIENTS;
};

/** Null where the list would be too long. Throws the server's refusal. */
const readNode = async (
  handle: ConnectionHandle,
  node: Node,
  type: List['type'],
  known: Map<Node, number | null>,
): Promise<ServerClient[] | null> => {
  // Without INFO the length of the list is unknown.
  const info = parseInfo(String(await readServer(handle, node, ['INFO', 'clients'])));
  known.set(node, numberOf(info, 'connected_clients'));
  return isTooMany(info, type) ? null : readClients(handle, node, type);
};

const read = async ({ connection, now }: ReadContext, type: List['type']): Promise<Reading> => {
  const at = now();
  const known = new Map<Node, number | null>();
  const { value, refused } = await orRefused(
    fromPrimaries(connection, (node) => readNode(connection, node, type, known)),
  );
  const lists = (value?.answers ?? []).map((answer) => answer.value);
  const isListed = value !== null && lists.every((list) => list !== null);
  const clients = isListed ? lists.flatMap((list) => list ?? []) : [];
  const counts = [...known.values()];
  return {
    at,
    clients,
    refused,
    missingNodes: value?.missing ?? [],
    connected:
      counts.length === 0 || counts.includes(null)
        ? null
        : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    state: isListed ? 'listed' : refused ? 'unknown' : 'tooMany',
    groups: {
      byUser: groupsOf(clients, ({ user }) => user),
      byName: groupsOf(clients, ({ name }) => name),
      byKind: groupsOf(clients, ({ kind }) => kind),
    },
  };
};

const readings = new Map(
  [undefined, ...CLIENT_TYPES].map(
    (type) => [type, pagedReadings<Reading>(`clients ${type ?? 'all'}`, SHARED_MS)] as const,
  ),
);

/** Makes the next list current, after a kill and in tests. */
export const forgetClients = (): void => {
  for (const reading of readings.values()) reading.forget();
};

const filterOf = ({ q = '', user, kind, minIdleSeconds = 0, own }: List) => {
  const text = q.trim().toLowerCase();
  return (client: ServerClient): boolean =>
    (user === undefined || client.user === user) &&
    (kind === undefined || client.kind === kind) &&
    (client.idleSeconds ?? 0) >= minIdleSeconds &&
    (own === undefined || client.own === own) &&
    (text === '' ||
      [client.name, client.address, client.user, client.command, client.library].some((shownText) =>
        shownText?.toLowerCase().includes(text),
      ));
};

const SORTED = {
  memory: 'memoryBytes',
  idle: 'idleSeconds',
  age: 'ageSeconds',
  output: 'outputBytes',
} as const satisfies Record<List['sort'], keyof ServerClient>;

/** clients.list */
export const listClients = async (ctx: ReadContext, input: List): Promise<Listed> => {
  const { sort, type } = input;
  const { id, value } = await readings.get(type)!.of(ctx.connection, input.cursor, () => read(ctx, type));
  const { at, clients, state, connected, groups, refused, missingNodes } = value;
  const rows = clients.filter(filterOf(input));
  const known = (figure: number): number | null => (state === 'listed' ? figure : null);
  return {
    ...pageOfReading(rows, id, input, (row) => [row[SORTED[sort]], `${row.id} ${row.node ?? ''}`]),
    readAt: iso(at),
    state,
    connected,
    limit: MAX_CLIENTS,
    ...groups,
    refused,
    missingNodes,
    listed: known(clients.length),
    total: known(rows.length),
  };
};
