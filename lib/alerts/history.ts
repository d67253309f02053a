import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { cursorAt, placeAt } from '@/lib/list-page';
import { iso, isoOrNull } from '@/lib/time';
import { eventIds, MAX_EVENTS, readEvents, type StoredEvent } from './event';
import { hrefOf } from './message';
import { maySee } from './reads';
import type { AlertEvent, alertContracts } from './schema';

type History = typeof alertContracts.history;

/** Events read at a time while a filter looks for its rows. */
const BATCH = 500;

const shown = (ctx: ReadContext, event: StoredEvent): AlertEvent => {
  const isSeen = maySee(ctx, event.metric);
  return {
    id: event.id,
    ruleId: event.ruleId,
    name: event.name,
    severity: event.severity,
    metric: event.metric,
    unit: event.unit,
    labels: isSeen ? event.labels : null,
    firedAt: iso(event.firedAt),
    resolvedAt: isoOrNull(event.resolvedAt),
    endedBy: event.endedBy,
    value: isSeen ? event.value : null,
    resolvedValue: isSeen ? event.resolvedValue : null,
    silenced: event.silenced,
    deliveries: event.deliveries.map(({ name, kind, event: of, state, attempts, at, nextAt, error }) => ({
      channel: name,
      kind,
      event: of,
      state,
      attempts,
      at: isoOrNull(at),
      error,
      nextAt: state === 'pending' ? iso(nextAt) : null,
    })),
    href: isSeen ? hrefOf(ctx.connection.config.id, event.metric) : null,
  };
};

/** Newest first; events of one moment by id. */
const isAfter = (event: StoredEvent, [firedAt, id]: readonly (string | number)[]): boolean =>
  event.firedAt < Number(firedAt) || (event.firedAt === firedAt && event.id < String(id));

/** alerts.history: the alerts that fired, newest first. */
export const alertHistory = async (ctx: ReadContext, input: Input<History>): Promise<Result<History>> => {
  const { id: connection } = ctx.connection.config;
  const { rule, open, limit } = input;
  const after = input.cursor === undefined ? null : placeAt(input.cursor, ['number', 'string']);
  const matches = (event: StoredEvent): boolean =>
    (rule === undefined || event.ruleId === rule) &&
    (open === undefined || (event.resolvedAt === null) === open) &&
    (after === null || isAfter(event, after));
  const found: StoredEvent[] = [];
  for (let offset = 0; offset <= MAX_EVENTS && found.length <= limit; offset += BATCH) {
    const before = after === null ? null : Number(after[0]);
    const ids = await eventIds(ctx.store, connection, { before, offset, count: BATCH });
    const events = await readEvents(ctx.store, connection, ids);
    for (const id of ids) {
      const event = events.get(id)?.event;
      if (event && matches(event)) found.push(event);
    }
    if (ids.length < BATCH) break;
  }
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((event) => shown(ctx, event)),
    nextCursor: last && found.length > limit ? cursorAt([last.firedAt, last.id]) : null,
  };
};
