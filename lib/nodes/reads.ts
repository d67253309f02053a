import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { type NodeFigures, readNodeFigures } from '@/lib/history/node-figures';
import { displayBytes } from '@/lib/keyspace/display';
import { pageOfRows } from '@/lib/list-page';
import { isProcessKnown } from '@/lib/redis/client';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { knownPrimaries } from '@/lib/redis/each-primary';
import { isNotPermitted, withoutStore } from '@/lib/redis/failure';
import type { ReplicaInfo, ServerInfo } from '@/lib/redis/info';
import { readInfo } from '@/lib/redis/node-info';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import type { Node } from '@/lib/redis/topology';
import { iso, SECOND } from '@/lib/time';
import type { NodeRow, nodeContracts } from './schema';

/** Two hundred open pages read as often as a few. */
const SHARED_MS = 2 * SECOND;
const MAX_ADDRESS = 100;

const UNKNOWN = {
  product: null,
  version: null,
  slots: null,
  keys: null,
  usedMemoryBytes: null,
  opsPerSecond: null,
  hitRate: null,
  lagSeconds: null,
  reason: null,
};

/** A place in the list: a primary and what follows it. */
interface Placed {
  row: NodeRow;
  primary: number;
  index: number;
}

const SYNCING = /^(wait_bgsave|send_bulk)/;

const stateOf = (word: string): NodeRow['state'] => {
  if (word === 'online') return 'ready';
  return SYNCING.test(word) ? 'syncing' : 'unknown';
};

const replicaRow = ({ address, state, lagSeconds }: ReplicaInfo): NodeRow => {
  // What a replica announces of itself is its own choice.
  const shown = displayBytes(Buffer.from(address), MAX_ADDRESS);
  return {
    ...UNKNOWN,
    id: shown,
    address: shown,
    role: 'replica',
    state: stateOf(state),
    lagSeconds,
  };
};

const serverRow = (
  address: string,
  slots: number | null,
  info: ServerInfo,
  figures: NodeFigures | undefined,
): NodeRow => ({
  ...UNKNOWN,
  id: info.runId || address,
  address,
  role: info.role,
  product: info.product,
  version: info.version,
  slots,
  keys: info.keys,
  usedMemoryBytes: info.usedMemoryBytes,
  state: 'ready',
  opsPerSecond: figures?.opsPerSecond ?? null,
  hitRate: figures?.hitRate ?? null,
});

/** The known facts of a server that does not answer, or refuses INFO. */
const silentRow = (node: Node, slots: number | null, error: unknown): NodeRow => {
  if (!(error instanceof Problem)) throw error;
  const [process, address] = [node.process(), node.id];
  const state = node.client('read').state();
  return {
    ...UNKNOWN,
    id: process !== null && isProcessKnown(process) ? process : address,
    address,
    role: node.role(),
    slots,
    state: isNotPermitted(error) || state !== 'ready' ? state : 'unreachable',
    reason: error.message,
  };
};

const readNode = async (
  { config, topology }: ConnectionHandle,
  node: Node,
  figures: ReadonlyMap<string, NodeFigures>,
): Promise<NodeRow[]> => {
  const slots = topology.slotsOf(node);
  try {
    const info = await readInfo(config.id, node);
    node.own.commands += 1;
    return [serverRow(node.id, slots, info, figures.get(info.runId)), ...info.replicas.map(replicaRow)];
  } catch (error) {
    return [silentRow(node, slots, error)];
  }
};

const read = async ({ connection, store, now }: ReadContext): Promise<{ at: number; rows: Placed[] }> => {
  const { id } = connection.config;
  const at = now();
  const figures = await readNodeFigures(store, id, at).catch(
    withoutStore<ReadonlyMap<string, NodeFigures>>(new Map()),
  );
  const primaries = await knownPrimaries(connection);
  const nodes = await Promise.all(primaries.map((node) => readNode(connection, node, figures)));
  const placed = nodes.flatMap((rows, primary) => rows.map((row, index) => ({ row, primary, index })));
  // Behind one address of a network translation there can be several replicas.
  const seen = new Map(placed.toReversed().map((place) => [place.row.id, place]));
  return { at, rows: [...seen.values()] };
};

const shared = sharedAnswer<Awaited<ReturnType<typeof read>>>('nodes', SHARED_MS);

/** nodes.list */
export const listNodes: ReadOf<typeof nodeContracts.list> = async (ctx, input) => {
  const { at, rows } = await shared.of(ctx.connection, () => read(ctx));
  const { items, nextCursor } = pageOfRows(rows, input, ['number', 'number'], (row) => [
    row.primary,
    row.index,
  ]);
  return { items: items.map(({ row }) => row), nextCursor, readAt: iso(at) };
};
