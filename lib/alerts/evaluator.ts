import 'server-only';
import { catalogOf } from '@/lib/command/context';
import { readFigures } from '@/lib/figures/registry';
import { newId } from '@/lib/ids';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { logBroken } from '@/lib/log';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { parseStoredHash } from '@/lib/stored-json';
import { endAll, evaluate, type Transition } from './evaluate';
import {
  commit,
  type EventChange,
  limitTerms,
  type ReadEvent,
  readEvents,
  type StateChange,
  type StoredDelivery,
  type StoredEvent,
  statesKey,
  trimEvents,
} from './event';
import { limitInWords, unitOf } from './message';
import { indexOf } from './select';
import { EVALUATION_MS, emptyState, GAP_MS, type RuleState, ruleState } from './state';
import {
  DELETED_CHANNEL,
  readAll,
  type StoredChannel,
  type StoredRule,
  type StoredSilence,
} from './stored-rule';

const MAX_TRIES = 3;

export const isSilenced = (
  silences: readonly StoredSilence[] | undefined,
  series: string,
  now: number,
): boolean =>
  (silences ?? []).some((each) => each.until > now && (each.series === null || each.series === series));

/** States as they are stored, and as texts for the compare-and-set. */
export const readStates = async (store: Store, connection: string) => {
  const texts = await store.use((redis) => redis.hgetall(statesKey(connection)));
  return { texts, states: new Map(parseStoredHash(ruleState, texts)) };
};

const deliveryOf = (
  event: StoredDelivery['event'],
  { id, name, kind }: Pick<StoredDelivery, 'id' | 'name' | 'kind'>,
  now: number,
): StoredDelivery => ({
  id: newId(now),
  channel: id,
  name,
  kind,
  event,
  state: 'pending',
  attempts: 0,
  at: null,
  nextAt: now,
  error: null,
});

interface Known {
  connection: string;
  channels: ReadonlyMap<string, StoredChannel>;
  silences: ReadonlyMap<string, readonly StoredSilence[]>;
  now: number;
}

const firingDeliveries = (rule: StoredRule, { channels, now }: Known): StoredDelivery[] =>
  rule.channels.map((id) => {
    const channel = channels.get(id);
    if (channel) return deliveryOf('firing', channel, now);
    const lost = deliveryOf('firing', { id, ...DELETED_CHANNEL }, now);
    return { ...lost, state: 'failed', at: now, error: 'The channel was deleted.' };
  });

const fired = (rule: StoredRule, { series, labels, value }: Transition, known: Known): StoredEvent => {
  const silenced = isSilenced(known.silences.get(rule.id), series, known.now);
  const unit = unitOf(rule);
  return {
    id: newId(known.now),
    ruleId: rule.id,
    name: rule.name,
    description: rule.description,
    severity: rule.severity,
    metric: rule.source.metric,
    series,
    labels: { ...labels },
    limit: limitInWords(rule, unit),
    terms: limitTerms.parse(rule),
    unit,
    firedAt: known.now,
    value,
    resolvedAt: null,
    resolvedValue: null,
    endedBy: null,
    silenced,
    deliveries: silenced ? [] : firingDeliveries(rule, known),
  };
};

/** Whoever was sent that it fires is sent that it resolved, also after the rule changed. */
const resolved = (event: StoredEvent, { value, endedBy }: Transition, { now }: Known): StoredEvent => ({
  ...event,
  resolvedAt: now,
  resolvedValue: value,
  endedBy,
  deliveries: [
    ...event.deliveries,
    ...event.deliveries
      .filter((each) => each.event === 'firing' && each.kind !== null)
      .map(({ channel, name, kind }) => deliveryOf('resolved', { id: channel, name, kind }, now)),
  ],
});

/** A silence ended while the alert still fires: the attempts that it held back go on, under their ids. */
const announced = (rule: StoredRule, event: StoredEvent, known: Known): StoredEvent | null => {
  if (!event.silenced || isSilenced(known.silences.get(rule.id), event.series, known.now)) return null;
  const goesOn = { state: 'pending', held: false, nextAt: known.now } as const;
  return {
    ...event,
    silenced: false,
    deliveries: [
      ...event.deliveries.map((each) => (each.held ? { ...each, ...goesOn } : each)),
      ...firingDeliveries(rule, known).filter(
        ({ channel }) => !event.deliveries.some((each) => each.channel === channel),
      ),
    ],
  };
};

const alertsIn = ({ series }: RuleState): string[] =>
  Object.values(series).flatMap(({ alert }) => alert ?? []);

/** What one rule changes: its events, and its state with the ids of new ones. */
const changesOf = (
  rule: StoredRule | undefined,
  { state, transitions }: { state: RuleState; transitions: readonly Transition[] },
  events: ReadonlyMap<string, ReadEvent>,
  known: Known,
): EventChange[] => {
  const changes: EventChange[] = [];
  for (const each of transitions) {
    if (each.event === 'firing' && rule) {
      const after = fired(rule, each, known);
      state.series[each.series]!.alert = after.id;
      changes.push({ before: null, after });
    }
    const open = each.event === 'resolved' && each.alert !== null ? events.get(each.alert) : undefined;
    if (open) changes.push({ before: open.text, after: resolved(open.event, each, known) });
  }
  const touched = new Set(changes.map(({ after }) => after.id));
  for (const id of rule ? alertsIn(state) : []) {
    const open = touched.has(id) ? undefined : events.get(id);
    const after = open && announced(rule!, open.event, known);
    if (open && after) changes.push({ before: open.text, after });
  }
  return changes;
};

/** Evaluates all rules of a connection and stores what changed; false when something changed meanwhile. */
const evaluateOnce = async (store: Store, handle: ConnectionHandle, now: number): Promise<boolean> => {
  const { id: connection } = handle.config;
  const [rules, { texts, states }] = await Promise.all([
    readAll(store, 'rules', connection),
    readStates(store, connection),
  ]);
  const evaluation = consoleFamilies.alertEvaluation.key({ connection });
  if (rules.size === 0 && states.size === 0) {
    await store.use((redis) => redis.set(evaluation, now, 'PX', GAP_MS));
    return true;
  }
  const [figures, silences, channels, last] = await Promise.all([
    readFigures({ store, connection: handle, catalog: catalogOf(handle), now }).then(indexOf),
    readAll(store, 'silences', connection),
    readAll(store, 'channels', connection),
    store.use((redis) => redis.get(evaluation)),
  ]);
  const events = await readEvents(store, connection, [...states.values()].flatMap(alertsIn));
  const known: Known = { connection, channels, silences, now };
  const moment = { now, afterGap: last === null };
  const stateChanges: StateChange[] = [];
  const eventChanges: EventChange[] = [];
  for (const id of new Set([...rules.keys(), ...Object.keys(texts)])) {
    const rule = rules.get(id);
    const stored = states.get(id) ?? emptyState(rule?.source.metric ?? '');
    const result = rule
      ? evaluate(rule, stored, figures, moment)
      : { state: emptyState(''), transitions: endAll(stored, 'ruleDeleted') };
    eventChanges.push(...changesOf(rule, result, events, known));
    const { series, noDataSince } = result.state;
    const isIdle = !rule || (Object.keys(series).length === 0 && noDataSince === null);
    const [before, after] = [texts[id] ?? '', isIdle ? '' : JSON.stringify(result.state)];
    if (before !== after) stateChanges.push({ rule: id, before, after });
  }
  if (stateChanges.length + eventChanges.length > 0) {
    if (!(await commit(store, connection, stateChanges, eventChanges))) return false;
    await trimEvents(store, connection, now);
  }
  await store.use((redis) => redis.set(evaluation, now, 'PX', GAP_MS));
  return true;
};

/** A change between read and store is evaluated again at once, and otherwise by the next evaluation. */
export const evaluateConnection = async (
  store: Store,
  handle: ConnectionHandle,
  now: number = Date.now(),
): Promise<void> => {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) if (await evaluateOnce(store, handle, now)) return;
};

/** Evaluates the rules of all connections, in one process at a time. */
export const evaluateAlerts = (store: Store, handles: readonly ConnectionHandle[]): Promise<unknown> =>
  withLease(
    store,
    consoleFamilies.lease.key({ name: 'alerts' }),
    { ms: 3 * EVALUATION_MS, renewed: true },
    () =>
      Promise.all(
        handles.map((handle) =>
          evaluateConnection(store, handle).catch((error: unknown) => {
            if (!isStoreUnavailable(error)) logBroken(`alert rules of ${handle.config.id}`, error);
          }),
        ),
      ),
  );
