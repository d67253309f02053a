import 'server-only';
import { isWindowOpen } from '@/lib/calls/monitor-lease';
import { mayUse, type Permitted } from '@/lib/command/capable';
import type { ReadContext } from '@/lib/command/context';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { knownPrimaries } from '@/lib/redis/each-primary';
import { FLAGS_SETTING, isSufficient, mergeFlags } from '@/lib/redis/keyspace-events';
import type { Store } from '@/lib/redis/store';
import type { Node } from '@/lib/redis/topology';
import { iso } from '@/lib/time';
import { flagsOf, publishesMisses } from './flags';
import type { SamplingState } from './schema';
import {
  isUndecided,
  presentAgreed,
  readSampling,
  type SamplingRecord,
  type SettingsInForce,
  settingsInForce,
} from './state';

type Permissions = Record<'configGet' | 'configSet' | 'monitor' | 'subscribe', Permitted>;

/**
 * The share of a saturated server's throughput that an open window costs, measured by `npm run bench hit-rates`: with
 * pipelining, and with one command at a time.
 */
const THROUGHPUT_LOSS = { pipelined: 0.62, single: 0.16 };

const nodeOf = async (ctx: ReadContext, node: Node): Promise<SamplingState['nodes'][number]> => {
  const present = await flagsOf(ctx.connection, ctx.store, node).catch(() => null);
  return {
    node: node.id,
    present,
    proposed: present === null ? null : mergeFlags(present),
    sufficient: present === null ? null : isSufficient(present),
  };
};

const permissionsOf = async ({ connection, catalog }: ReadContext): Promise<Permissions> => ({
  configGet: await mayUse(connection, catalog, 'CONFIG GET'),
  configSet: await mayUse(connection, catalog, 'CONFIG SET'),
  monitor: await mayUse(connection, catalog, 'MONITOR'),
  subscribe: await mayUse(connection, catalog, 'PSUBSCRIBE'),
});

const refusesWindows = ({ monitor, subscribe }: Permissions): boolean =>
  [monitor, subscribe].some(({ allowed }) => allowed === false);

const isProduction = ({ config }: ConnectionHandle): boolean => config.environment === 'production';

/** Whether windows may be opened without consent: no server setting has to change, and it is not production. */
export const needsNoConsent = async (handle: ConnectionHandle, store: Store): Promise<boolean> =>
  !isProduction(handle) && (await publishesMisses(handle, store));

interface Situation {
  record: SamplingRecord;
  settings: SettingsInForce;
  nodes: SamplingState['nodes'];
  permissions: Permissions;
}

/** Primaries whose flags must change from a current value to which nobody has consented. */
const unagreedNodes = (connection: string, { record, nodes }: Situation): SamplingState['nodes'] =>
  nodes.filter(
    ({ node, present, sufficient }) =>
      sufficient === false && presentAgreed(record.consent, connection, node) !== present,
  );

const questionOf = ({ connection }: ReadContext, situation: Situation): SamplingState['question'] => {
  const { record, settings, nodes, permissions } = situation;
  const changing = unagreedNodes(connection.config.id, situation);
  const undecided = isUndecided(connection.config.hitRates, record);
  const cannotChange =
    permissions.configSet.allowed === false || connection.config.readOnly || connection.role() === 'replica';
  if (refusesWindows(permissions) || nodes.some(({ present }) => present === null)) return null;
  if (changing.length > 0 && cannotChange) return null;
  const because = [
    ...(changing.length > 0 && (undecided || settings.on) ? (['change'] as const) : []),
    ...(undecided && isProduction(connection) ? (['production'] as const) : []),
  ];
  if (because.length === 0) return null;
  const { everySeconds, forSeconds } = settings;
  return {
    because,
    changes: changing.map(({ node, present, proposed }) => ({
      node,
      setting: FLAGS_SETTING,
      present: present!,
      during: proposed!,
      after: present!,
    })),
    cost: {
      everySeconds,
      forSeconds,
      shareOfTime: forSeconds / everySeconds,
      throughputLoss: THROUGHPUT_LOSS,
      maxAddedLatencyMs: connection.config.scan.maxAddedLatencyMs,
    },
  };
};

/**
 * hitRates.sampling.get: what is on, what it needs of the server, whether the server permits it, and which consent is
 * missing.
 */
export const describeSampling = async (ctx: ReadContext): Promise<SamplingState> => {
  const { config } = ctx.connection;
  const record = await readSampling(ctx.store, config.id);
  const permissions = await permissionsOf(ctx);
  const nodes = await Promise.all((await knownPrimaries(ctx.connection)).map((node) => nodeOf(ctx, node)));
  const startsByItself =
    !isProduction(ctx.connection) &&
    !refusesWindows(permissions) &&
    nodes.every(({ sufficient }) => sufficient);
  const settings = settingsInForce(config.hitRates, record, startsByItself);
  const situation = { record, settings, nodes, permissions };
  const { consent } = record;
  const agreedTo = consent && (Object.values(consent.presents)[0] ?? '');
  return {
    ...settings,
    dutyCycle: settings.forSeconds / settings.everySeconds,
    running: await isWindowOpen(ctx.store, ctx.connection),
    stoppedBecause: record.stoppedBecause,
    lastWindow: record.last && { ...record.last, at: iso(record.last.at) },
    nodes,
    present: nodes[0]?.present ?? null,
    proposed: nodes[0]?.proposed ?? null,
    needsConsent:
      record.toRestore.length === 0 &&
      (unagreedNodes(ctx.connection.config.id, situation).length > 0 ||
        nodes.some(({ present }) => present === null)),
    question: questionOf(ctx, situation),
    ...permissions,
    consent: consent && {
      by: consent.by,
      at: iso(consent.at),
      auditId: consent.auditId,
      present: agreedTo!,
      proposed: mergeFlags(agreedTo!),
    },
    toRestore: record.toRestore.map(({ since, ...changed }) => ({ ...changed, since: iso(since) })),
  };
};
