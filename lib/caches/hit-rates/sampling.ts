import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import {
  askPermissions,
  isSufficient,
  mergeFlags,
  readFlags,
  sameFlags,
  UNKNOWN,
} from '@/lib/redis/keyspace-events';
import { type Node, readyClient } from '@/lib/redis/topology';
import { iso } from '@/lib/time';
import { isWindowOpen } from './flags';
import type { SamplingState } from './schema';
import { readSampling, settingsInForce } from './state';

const NOT_ASKED = { configGet: UNKNOWN, configSet: UNKNOWN, monitor: UNKNOWN, subscribe: UNKNOWN };

/**
 * The present value on one primary, that of others: what an open window merged in is not it. Null where it cannot be
 * read.
 */
export const presentOf = async (ctx: ReadContext, node: Node): Promise<string | null> => {
  const { id } = ctx.connection.config;
  const redis = await readyClient(id, node, 'read');
  const flags = await readFlags(redis).catch(() => null);
  const merged = (await readSampling(ctx.store, id)).putBack.find((entry) => entry.node === node.id);
  return merged && flags !== null && sameFlags(flags, merged.during) ? merged.before : flags;
};

/** Whether every primary publishes what windows need already: then nothing on the server is to be changed. */
export const publishesAlready = async (ctx: ReadContext): Promise<boolean> => {
  const presents = await Promise.all(
    ctx.connection.topology.primaries().map((node) => presentOf(ctx, node).catch(() => null)),
  );
  return presents.every((present) => present !== null && isSufficient(present));
};

const nodeOf = async (ctx: ReadContext, node: Node): Promise<SamplingState['nodes'][number]> => {
  const present = await presentOf(ctx, node).catch(() => null);
  return {
    node: node.id,
    present,
    proposed: present === null ? null : mergeFlags(present),
    sufficient: present === null ? null : isSufficient(present),
  };
};

const permissionsOf = async (ctx: ReadContext): Promise<typeof NOT_ASKED> => {
  const { connection } = ctx;
  const [node] = connection.topology.primaries();
  try {
    // A connection of its own: a transaction must not take in commands that others send.
    const client = node!.dedicated('ask');
    try {
      await client.ready();
      return await askPermissions(client.redis);
    } finally {
      client.close();
    }
  } catch {
    return NOT_ASKED;
  }
};

/** caches.sampling.get: what is on, what it needs of the server, and whether the server permits it. */
export const describeSampling = async (ctx: ReadContext): Promise<SamplingState> => {
  const { id, hitRates } = ctx.connection.config;
  const record = await readSampling(ctx.store, id);
  const settings = settingsInForce(hitRates, record);
  const nodes = await Promise.all(ctx.connection.topology.primaries().map((node) => nodeOf(ctx, node)));
  const [first] = nodes;
  const { consent } = record;
  const agreed = nodes.every(({ node, present }) => present !== null && consent?.presents[node] === present);
  const sufficient = nodes.every((node) => node.sufficient);
  const present = first?.present ?? null;
  return {
    ...settings,
    dutyCycle: settings.forSeconds / settings.everySeconds,
    running: await isWindowOpen(ctx.store, ctx.connection),
    stoppedBecause: record.stoppedBecause,
    lastWindow: record.last && { ...record.last, at: iso(record.last.at) },
    nodes,
    present,
    proposed: first?.proposed ?? null,
    needsConsent: !sufficient && !agreed && record.putBack.length === 0,
    ...(await permissionsOf(ctx)),
    consent: consent && {
      by: consent.by,
      at: iso(consent.at),
      auditId: consent.auditId,
      present: Object.values(consent.presents)[0] ?? '',
      proposed: mergeFlags(Object.values(consent.presents)[0] ?? ''),
    },
    putBack: record.putBack.map(({ since, ...entry }) => ({ ...entry, since: iso(since) })),
  };
};
