import 'server-only';
import { memo, shownClientName } from '@/lib/calls/client-name';
import { processWide } from '@/lib/process-wide';
import { clientFields } from '@/lib/redis/client-line';
import { sumOf } from '@/lib/redis/each-primary';
import { numberOf } from '@/lib/redis/info';
import { isNearClientLimit } from '@/lib/redis/limits';
import { type OwnClients, ownClients } from '@/lib/redis/own-clients';
import { findingsOf, type Optional, readSection } from '@/lib/redis/section';
import { readServer, readSetting } from '@/lib/redis/server-reads';
import type { Node } from '@/lib/redis/topology';
import { HOUR, SECOND } from '@/lib/time';
import { isIdleAlone } from './idle-client';
import type { ClientGroup } from './schema';
import type { NodeInfo, Source } from './source';

/** While it lists its clients the server serves nobody else: about a microsecond per client. */
const MAX_LISTED = 1000;
const MAX_NAMES = 30;
const IDLE_SECONDS = HOUR / SECOND;
const MANY_IDLE = 20;
const MAX_OUTPUT_BYTES = 32 * 2 ** 20;

interface Client {
  name: string;
  idleSeconds: number;
  outputBytes: number;
  isBlocked: boolean;
  /** Whether it is a connection of this process. */
  own: boolean;
  /** Whether its idle time counts: it is neither the console's own nor one that waits for others. */
  mayIdle: boolean;
}

const countIn = (text: string | undefined): number => Number(/^\d{1,15}$/.exec(text ?? '')?.[0] ?? 0);

/** One line of CLIENT LIST; a cut or unknown line counts as a client without facts. */
const clientOf = (line: string, ours: OwnClients): Client => {
  const fields = clientFields(line);
  const flags = fields.get('flags') ?? 'N';
  const own = ours.has(fields.get('id') ?? '', fields.get('addr') ?? '');
  return {
    name: fields.get('name') ?? '',
    own,
    idleSeconds: countIn(fields.get('idle')),
    outputBytes: countIn(fields.get('omem')),
    isBlocked: flags.includes('b'),
    mayIdle: !own && isIdleAlone(flags, fields.get('sub') ?? '0'),
  };
};

export const clientsOf = (reply: Buffer, ours: OwnClients): Client[] =>
  reply
    // As bytes: a name need not be UTF-8.
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('id='))
    .map((line) => clientOf(line, ours));

/** Clients by displayed name, most first; those of the console are separate from others with its name. */
export const groupClients = (all: readonly Client[]): ClientGroup[] => {
  const named = memo((latin1) => shownClientName(Buffer.from(latin1, 'latin1')));
  const groups = new Map<string, ClientGroup>();
  for (const { name: sent, idleSeconds, outputBytes, isBlocked, own } of all) {
    const name = named(sent);
    const id = `${own} ${name ?? ''}`;
    const group = groups.get(id) ?? { name, clients: 0, blocked: 0, idleSeconds: 0, outputBytes: 0, own };
    groups.set(id, group);
    group.clients += 1;
    group.blocked += isBlocked ? 1 : 0;
    group.idleSeconds = Math.max(group.idleSeconds, idleSeconds);
    group.outputBytes += outputBytes;
  }
  return [...groups.values()].sort((a, b) => b.clients - a.clients).slice(0, MAX_NAMES);
};

const listedFigures = (all: readonly Client[]) => ({
  listed: all.length,
  idle: all.filter(({ mayIdle, idleSeconds }) => mayIdle && idleSeconds > IDLE_SECONDS).length,
  idleLongestSeconds: all.reduce(
    (max, { mayIdle, idleSeconds }) => (mayIdle ? Math.max(max, idleSeconds) : max),
    0,
  ),
  outputBytes: all.reduce((sum, { outputBytes }) => sum + outputBytes, 0),
  byName: groupClients(all),
});

const NOT_LISTED = { listed: null, idle: null, idleLongestSeconds: null, outputBytes: null, byName: null };

interface Rejections {
  count: number;
  /** When a reading first found more rejections, epoch ms; null before. */
  grewAt: number | null;
}

const rejections = processWide('rejections', () => new WeakMap<Node, Rejections>());

/** Whether the server refused connections within the last hour, as far as this process has observed its counter. */
const rejectedLately = (node: Node, now: number, count: number | null): boolean => {
  if (count === null) return false;
  const before = rejections().get(node);
  const grewAt = before && count > before.count ? now : (before?.grewAt ?? null);
  rejections().set(node, { count, grewAt });
  return grewAt !== null && now - grewAt < HOUR;
};

const readNode = async ({ ctx, now }: Source, { node, fields }: NodeInfo, optional: Optional) => {
  const { connection } = ctx;
  const connected = numberOf(fields, 'connected_clients');
  const isListed = connected !== null && connected <= MAX_LISTED;
  const reply = isListed ? await optional(readServer(connection, node, ['CLIENT', 'LIST'])) : null;
  const rejected = numberOf(fields, 'rejected_connections');
  return {
    connected,
    rejected,
    blocked: numberOf(fields, 'blocked_clients'),
    all: reply instanceof Uint8Array ? clientsOf(Buffer.from(reply), ownClients(node)) : null,
    maxClients:
      numberOf(fields, 'maxclients') ?? (await optional(readSetting(connection, node, 'maxclients'))),
    isRejecting: rejectedLately(node, now, rejected),
  };
};

/** Connected clients against the limit. The caller hides `byName` from users without `live:view`. */
export const readClients = (source: Source) =>
  readSection(async (optional) => {
    const { nodes } = await source.info();
    const servers = await Promise.all(nodes.map((node) => readNode(source, node, optional)));
    const lists = servers.map(({ all }) => all);
    const isListed = lists.every((list) => list !== null);
    const figures = {
      connected: sumOf(servers.map(({ connected }) => connected)),
      maxClients: sumOf(servers.map(({ maxClients }) => maxClients)),
      blocked: sumOf(servers.map(({ blocked }) => blocked)),
      rejected: sumOf(servers.map(({ rejected }) => rejected)),
      ...(isListed ? listedFigures(lists.flatMap((list) => list ?? [])) : NOT_LISTED),
    };
    return {
      figures,
      findings: findingsOf({
        nearLimit: servers.some(({ connected, maxClients }) =>
          isNearClientLimit(connected ?? 0, maxClients ?? 0),
        ),
        rejected: servers.some(({ isRejecting }) => isRejecting),
        idle: (figures.idle ?? 0) >= MANY_IDLE,
        output: (figures.outputBytes ?? 0) > MAX_OUTPUT_BYTES,
      }),
    };
  });
