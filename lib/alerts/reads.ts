import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { env } from '@/lib/configuration';
import type { Input, Result } from '@/lib/contract';
import { figureDefinition, readFigures } from '@/lib/figures/registry';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { pageOfRows } from '@/lib/list-page';
import { allows } from '@/lib/permissions';
import { iso, isoOrNull } from '@/lib/time';
import type { alertChannelContracts } from './channels/schema';
import { isAbove, measure } from './compare';
import { isSilenced, readStates } from './evaluator';
import { hrefOf, unitOf } from './message';
import { metricName } from './metric-name';
import { readResults } from './results';
import { type AlertSeries, type alertContracts, MAX_SERIES, SERIES_STATES } from './schema';
import { indexOf, type Selected, select } from './select';
import { emptyState, type RuleState, type SeriesState } from './state';
import {
  DELETED_CHANNEL,
  etagOf,
  languageOf,
  readAll,
  type StoredChannel,
  type StoredRule,
  type StoredSilence,
} from './stored-rule';

type Row = Result<typeof alertContracts.list>['items'][number];

/** Whether the caller may see the values of a figure. One that no domain has any more is for admins. */
export const maySee = ({ actor: { role } }: Pick<ReadContext, 'actor'>, metric: string): boolean =>
  allows(role, figureDefinition(metric)?.permission ?? 'users:manage');

interface Known {
  ctx: ReadContext;
  channels: ReadonlyMap<string, StoredChannel>;
  silences: readonly StoredSilence[];
  now: number;
}

const stateOf = (state: SeriesState | undefined): AlertSeries['state'] => state?.phase ?? 'ok';

/** A series is named by a digest of its labels, which could be guessed. */
const shownId = (rule: StoredRule, id: string, isSeen: boolean): string =>
  isSeen ? id : digest('names', `alert ${rule.id} ${id}`, 16);

const seriesOf = (
  rule: StoredRule,
  id: string,
  state: SeriesState | undefined,
  selected: Selected | undefined,
  { ctx, silences, now }: Known,
): AlertSeries => {
  const isSeen = maySee(ctx, rule.source.metric);
  const value = selected ? measure(rule, selected.value, state?.samples ?? [], now) : null;
  const phase = stateOf(state);
  return {
    id: shownId(rule, id, isSeen),
    labels: isSeen ? { ...(selected?.labels ?? state?.labels ?? {}) } : null,
    state: phase,
    since: phase === 'ok' ? null : isoOrNull(state?.since),
    value: isSeen ? value : null,
    noDataSince: isoOrNull(state?.noDataSince),
    silenced: isSilenced(silences, id, now),
  };
};

/** The series of a rule: those with a state first. */
const allSeries = (rule: StoredRule, state: RuleState, selected: readonly Selected[], known: Known) => {
  const now = new Map(selected.map((each) => [each.id, each]));
  const ids = new Set([...Object.keys(state.series), ...now.keys()]);
  return [...ids].map((id) => seriesOf(rule, id, state.series[id], now.get(id), known));
};

/** The value nearest to the limit, or farthest beyond it. */
const worstOf = (rule: StoredRule, series: readonly AlertSeries[]): number | null => {
  const values = series.flatMap(({ value }) => value ?? []);
  if (values.length === 0) return null;
  return isAbove(rule) ? Math.max(...values) : Math.min(...values);
};

const rowOf = (
  rule: StoredRule,
  stored: RuleState | undefined,
  selected: readonly Selected[],
  known: Known,
): Row => {
  const state = stored?.metric === rule.source.metric ? stored : emptyState(rule.source.metric);
  const { ctx, channels, silences, now } = known;
  const all = allSeries(rule, state, selected, known);
  const isFiring = all.some((each) => each.state === 'firing');
  const noData = selected.length === 0 && !isFiring;
  const shown = all.length === 1 ? all : all.filter((each) => each.state !== 'ok');
  const isSeen = maySee(ctx, rule.source.metric);
  const worst = noData ? 'noData' : SERIES_STATES.find((each) => all.some(({ state: s }) => s === each));
  const since = all.filter((each) => each.state === worst).flatMap((each) => each.since ?? []);
  return {
    ...rule,
    source: { metric: rule.source.metric, labels: isSeen ? rule.source.labels : null },
    unit: unitOf(rule),
    channels: rule.channels.map((id) => {
      const channel = channels.get(id);
      return { id, ...(channel ? { name: channel.name, kind: channel.kind } : DELETED_CHANNEL) };
    }),
    state: worst ?? 'noData',
    since: noData ? isoOrNull(state.noDataSince) : (since.sort()[0] ?? null),
    current: worstOf(rule, all),
    series: shown,
    seriesCount: selected.length,
    seriesSkipped: Math.max(0, all.length - MAX_SERIES),
    silences: silences
      .filter(({ until }) => until > now)
      .map(({ until, series, ...silence }) => {
        const id = series === null ? null : shownId(rule, series, isSeen);
        const labels = all.find((each) => each.id === id)?.labels ?? null;
        return { ...silence, series: id, labels, until: iso(until) };
      }),
    href: isSeen ? hrefOf(ctx.connection.config.id, rule.source.metric) : null,
    changedAt: iso(rule.changedAt),
    etag: etagOf(rule),
  };
};

/** All rules with their state, as the caller may see them. */
export const readRules = async (ctx: ReadContext) => {
  const { id: connection } = ctx.connection.config;
  const now = ctx.now();
  const { store, catalog } = ctx;
  const [rules, { states }, channels, silences, figures, evaluatedAt] = await Promise.all([
    readAll(store, 'rules', connection),
    readStates(store, connection),
    readAll(store, 'channels', connection),
    readAll(store, 'silences', connection),
    readFigures({ store, connection: ctx.connection, catalog, now }).then(indexOf),
    store.use((redis) => redis.get(consoleFamilies.alertEvaluation.key({ connection }))),
  ]);
  const rows = [...rules.values()].map((rule) =>
    rowOf(rule, states.get(rule.id), select(rule, figures), {
      ctx,
      channels,
      now,
      silences: silences.get(rule.id) ?? [],
    }),
  );
  return { rows, evaluatedAt: evaluatedAt === null ? null : iso(Number(evaluatedAt)) };
};

/** alerts.list: firing first, then by name. */
export const listAlerts: ReadOf<typeof alertContracts.list> = async (ctx, input) => {
  const { rows, evaluatedAt } = await readRules(ctx);
  const words = input.q?.toLowerCase();
  const matches = ({ name, source, state }: Row): boolean =>
    (words === undefined ||
      name.toLowerCase().includes(words) ||
      source.metric.toLowerCase().includes(words) ||
      (metricName(source.metric) ?? '').toLowerCase().includes(words)) &&
    (input.state === undefined || state === input.state);
  const page = pageOfRows(
    rows.filter(matches),
    input,
    ['number', 'string', 'string'],
    ({ state, name, id }) => [SERIES_STATES.indexOf(state), name.toLowerCase(), id],
  );
  const count = (state: Row['state']): number => rows.filter((row) => row.state === state).length;
  const counts = Object.fromEntries(SERIES_STATES.map((state) => [state, count(state)])) as Record<
    Row['state'],
    number
  >;
  return { ...page, counts, evaluatedAt };
};

type Channels = typeof alertChannelContracts.list;

/** alerts.channels.list */
export const listChannels = async (ctx: ReadContext, input: Input<Channels>): Promise<Result<Channels>> => {
  const { id: connection } = ctx.connection.config;
  const [channels, rules, results] = await Promise.all([
    readAll(ctx.store, 'channels', connection),
    readAll(ctx.store, 'rules', connection),
    readResults(ctx.store, connection),
  ]);
  const rows = [...channels.values()].map((channel) => {
    const { sealed: _, changedAt, ...shown } = channel;
    const users = [...rules.values()].filter((rule) => rule.channels.includes(channel.id));
    const last = results.get(channel.id);
    return {
      ...shown,
      language: languageOf(channel),
      changedAt: iso(changedAt),
      rules: users.length,
      failingSince: isoOrNull(last?.since),
      error: last?.error ?? null,
      etag: etagOf(channel),
    };
  });
  const page = pageOfRows(rows, input, ['string', 'string'], ({ name, id }) => [name.toLowerCase(), id]);
  return { ...page, mail: env().mail !== null };
};
