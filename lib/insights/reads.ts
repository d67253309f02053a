import 'server-only';
import { lastHourHitRates } from '@/lib/caches/hit-rates/reads';
import type { Family, TtlPolicy } from '@/lib/catalog/family';
import { ttlInWords } from '@/lib/catalog/ttl-in-words';
import { storedTypes, typeDrift } from '@/lib/catalogs/drift';
import { judgeFeatures } from '@/lib/command/capable';
import { type ConsoleContext, catalogOf, type ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { type Census, readCensus } from '@/lib/history/census';
import { newestLive } from '@/lib/history/live';
import { type PageInput, pageOfRows } from '@/lib/list-page';
import { type ConnectionHandle, connections, refreshRole } from '@/lib/redis/connections';
import { fromAnyPrimary } from '@/lib/redis/each-primary';
import { isNotPermitted } from '@/lib/redis/failure';
import type { ServerInfo } from '@/lib/redis/info';
import { readInfo } from '@/lib/redis/node-info';
import { iso, isoOrNull } from '@/lib/time';
import { catalogFacts } from './catalog-facts';
import type { Connection, FamilyRow, insightContracts } from './schema';

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
    scan: handle.budget.state(),
  };
};

/** connections.list, in the configuration's order. */
export const listConnections = async (
  ctx: ConsoleContext,
  input: PageInput = {},
): Promise<Result<typeof insightContracts.connections>> => {
  const handles = [...connections().values()];
  const { items, nextCursor } = pageOfRows(handles, input, ['number'], (handle) => [handles.indexOf(handle)]);
  return { items: await Promise.all(items.map((handle) => describeConnection(ctx, handle))), nextCursor };
};

/** Redis 6.2 or newer, Valkey 7.2 or newer (configuration.md). */
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
export const testConnection = async (
  ctx: ReadContext,
): Promise<Result<typeof insightContracts.connectionTest>> => {
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

type Figures = Awaited<ReturnType<typeof lastHourHitRates>> extends Map<string, infer F> ? F : never;

const longestTtl = (ttl: TtlPolicy): number | null => {
  if (typeof ttl !== 'object') return null;
  return 'seconds' in ttl ? ttl.seconds : ttl.maxSeconds;
};

const toRow = (family: Family, census: Census | null, figures: Figures | null): FamilyRow => {
  const none = { keys: 0, memoryBytes: 0, withoutTtl: 0, types: {} };
  const count = census ? (census.families[family.id] ?? none) : null;
  const types = count?.types ? storedTypes(count.types) : null;
  return {
    family: family.id,
    app: family.app,
    title: family.title,
    purpose: family.purpose,
    pattern: family.pattern,
    type: family.type,
    types,
    drift: typeDrift(family, types ?? {}),
    params: [...family.paramNames],
    secretParams: [...(family.sensitive ?? [])],
    grammar: Object.fromEntries(family.paramNames.map((name) => [name, family.params[name]!.description])),
    pairs: family.paramNames.find((name) => family.params[name]?.shape.kind === 'pairs') ?? null,
    ttl: ttlInWords(family.ttl),
    ttlSeconds: longestTtl(family.ttl),
    expires: typeof family.ttl === 'object',
    cache: family.cache ?? false,
    guarded: family.guarded ?? false,
    keys: count?.keys ?? null,
    memoryBytes: count?.memoryBytes ?? null,
    withoutTtl: count?.withoutTtl ?? null,
    hitRate: figures?.hitRate ?? null,
    hits: figures?.hits ?? null,
    misses: figures?.misses ?? null,
    source: figures?.source ?? 'none',
    coverage: figures?.coverage ?? null,
    error: figures?.error ?? null,
    windowSeconds: figures?.windowSeconds ?? null,
    missesPerSecond: figures?.missesPerSecond ?? null,
    originLoadPerSecond: figures?.originLoadPerSecond ?? null,
    sampledAt: isoOrNull(figures?.sampledAt),
    countedAt: isoOrNull(census?.finishedAt),
  };
};

/** families.list: the connection's own families (not the console's), those with most keys first. */
export const listFamilies = async (
  ctx: ReadContext,
  input: PageInput = {},
): Promise<Result<typeof insightContracts.families>> => {
  const census = await readCensus(ctx.store, ctx.connection.config.id).catch(() => null);
  const { id } = ctx.connection.config;
  const figures = await lastHourHitRates(ctx.store, id, ctx.catalog, ctx.now()).catch(() => null);
  const rows = ctx.catalog.families
    .filter((family) => family.app !== 'console' && family.type !== 'channel')
    .map((family) => toRow(family, census, figures?.get(family.id) ?? null));
  return {
    ...pageOfRows(rows, input, ['number', 'string'], ({ family, keys }) => [-(keys ?? 0), family]),
    unclassified: census ? census.unclassified + census.malformed : null,
    malformed: census?.malformed ?? null,
    countedAt: census ? iso(census.finishedAt) : null,
    overlaps: ctx.catalog.overlaps.map((overlap) => ({
      families: [...overlap.families],
      example: overlap.example,
      winner: overlap.winner,
    })),
  };
};
