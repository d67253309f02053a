import 'server-only';
import { judgeFeatures } from '@/lib/command/capable';
import { type ConsoleContext, catalogOf, type ReadContext } from '@/lib/command/context';
import type { Connection, connectionContracts } from '@/lib/connections/schema';
import type { Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { newestLive } from '@/lib/history/points';
import { type PageInput, pageOfRows } from '@/lib/list-page';
import { type ConnectionHandle, connections, refreshRole } from '@/lib/redis/connections';
import { fromAnyPrimary } from '@/lib/redis/each-primary';
import { isNotPermitted } from '@/lib/redis/failure';
import type { ServerInfo } from '@/lib/redis/info';
import { readInfo } from '@/lib/redis/node-info';
import { approvalFacts } from './approval-facts';
import { catalogFacts } from './catalog-facts';

const describeConnection = async (ctx: ConsoleContext, handle: ConnectionHandle): Promise<Connection> => {
  const { config } = handle;
  const live = await newestLive(ctx.store, config.id).catch(() => null);
  const figures = live && 'figures' in live.sample ? live.sample.figures : null;
  const { state, reason } = handle.status();
  const role = handle.role();
  // Not awaited: a server that hangs must not delay the list. The next answer has the new role.
  void refreshRole(handle);
  return {
    id: config.id,
    name: config.name,
    environment: config.environment,
    topology: handle.topology.kind,
    server: figures ? { product: figures.product, version: figures.version } : null,
    status: state,
    statusReason: reason,
    apps: config.apps,
    ...catalogFacts(catalogOf(handle)),
    role,
    readOnly: config.readOnly || role === 'replica',
    approvals: approvalFacts(handle),
    scan: handle.budget.state(),
  };
};

/** connections.list, in the configuration's order. */
export const listConnections = async (
  ctx: ConsoleContext,
  input: PageInput = {},
): Promise<Result<typeof connectionContracts.list>> => {
  const handles = [...connections().values()];
  const { items, nextCursor } = pageOfRows(handles, input, ['number'], (handle) => [handles.indexOf(handle)]);
  return { items: await Promise.all(items.map((handle) => describeConnection(ctx, handle))), nextCursor };
};

/** Redis 6.2 or newer, Valkey 7.2 or newer. */
const isSupported = ({ product, version }: ServerInfo): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [needMajor, needMinor] = product === 'valkey' ? [7, 2] : [6, 2];
  return major > needMajor || (major === needMajor && minor >= needMinor);
};

/** Null where the server does not answer. */
const countFeatures = async ({ connection, catalog }: ReadContext) => {
  const judged = await judgeFeatures(connection, catalog).catch(() => null);
  const count = (wanted: string): number => judged!.filter(({ state }) => state === wanted).length;
  return judged && { works: count('works'), slower: count('slower'), no: count('no') };
};

/** connections.test: a failure is an answer, not an error. A server that refuses INFO was reached. */
export const testConnection = async (ctx: ReadContext): Promise<Result<typeof connectionContracts.test>> => {
  try {
    const { connection } = ctx;
    const info = await fromAnyPrimary(connection, (node) => readInfo(connection.config.id, node));
    const { product, version } = info;
    return {
      ok: true,
      reason: null,
      latencyMs: Math.round(info.latencyMs * 100) / 100,
      server: { product, version },
      supported: isSupported(info),
      features: await countFeatures(ctx),
    };
  } catch (error) {
    const reason = error instanceof Problem ? error.message : 'Redis does not answer.';
    const ok = isNotPermitted(error);
    const features = ok ? await countFeatures(ctx) : null;
    return { ok, reason, latencyMs: null, server: null, supported: null, features };
  }
};
