import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { formatCount } from '@/lib/format';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { fromPrimaries } from '@/lib/redis/each-primary';
import { failureOf } from '@/lib/redis/failure';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { readyClient } from '@/lib/redis/topology';
import { readOwnSlots } from '@/lib/redis/topology/slots';
import { SECOND, utcText } from '@/lib/time';
import type { Found } from './put-off';

const SHARED_MS = 2 * SECOND;
const MAX_PAIRS = 3;
const MAX_SLOTS = 5;

const shared = sharedAnswer<Found[]>('open slots', SHARED_MS);

/** When this process first saw each move, epoch ms, by slot and nodes. */
const firstSeen = processWide('first seen slots', () => new WeakMap<ConnectionHandle, Map<string, number>>());

const nodesOf = (move: string): string => move.slice(move.indexOf(' ') + 1);

const toAttention = (id: string, pair: string, slots: readonly number[], since: number): Found => {
  const listed = `${slots.slice(0, MAX_SLOTS).join(', ')}${slots.length > MAX_SLOTS ? ', …' : ''}`;
  const named = slots.length === 1 ? `Slot ${listed} is` : `${formatCount(slots.length)} slots are`;
  const [source = '', target = ''] = pair.split(' ');
  return {
    id: `open-slots:${pair}`,
    values: { count: slots.length, slots: listed, source, target, since: utcText(since) },
    severity: 'warning',
    href: `/${id}/nodes`,
    text: `${named} open, from ${source} to ${target}${slots.length > 1 ? `: ${listed}` : ''}`,
    detail: `First seen ${utcText(since)}. If nothing is being resharded: redis-cli --cluster fix ${source}, or where no key has moved CLUSTER SETSLOT … STABLE on both nodes`,
  };
};

const read = async ({ connection, now }: ReadContext): Promise<Found[]> => {
  const { id } = connection.config;
  const { answers } = await fromPrimaries(connection, async (node) => {
    const redis = await readyClient(id, node, 'read');
    node.own.commands += 1;
    return readOwnSlots(redis).catch((error) => {
      throw failureOf(id, error);
    });
  });
  // Both nodes of a move report it, or only one after the other has ended it.
  const moves = new Set(
    answers.flatMap(({ node, value }) =>
      value.open.map(({ slot, isImporting, partner }) =>
        [slot, ...(isImporting ? [partner, node.id] : [node.id, partner])].join(' '),
      ),
    ),
  );
  const before = firstSeen().get(connection);
  const seen = new Map([...moves].map((move) => [move, before?.get(move) ?? now()]));
  firstSeen().set(connection, seen);
  const pairs = new Set([...seen.keys()].map(nodesOf));
  return [...pairs].slice(0, MAX_PAIRS).map((pair) => {
    const moves = [...seen].filter(([move]) => nodesOf(move) === pair);
    const slots = moves.map(([move]) => Number.parseInt(move, 10)).sort((a, b) => a - b);
    return toAttention(id, pair, slots, Math.min(...moves.map(([, at]) => at)));
  });
};

/** Slots of a cluster with keys on two nodes: for ever, after an aborted move. */
export const openSlots = async (ctx: ReadContext): Promise<Found[]> =>
  ctx.connection.topology.kind === 'cluster' ? shared.of(ctx.connection, () => read(ctx)) : [];
