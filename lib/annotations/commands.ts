import 'server-only';
import { defineCommand } from '@/lib/command/define';
import { badField } from '@/lib/errors';
import {
  EVENTS_KEPT_MS,
  type PlacedEvent,
  placedEvent,
  removePlacedEvent,
  writePlacedEvent,
} from '@/lib/history/placed-events';
import { maskSecrets } from '@/lib/keyspace/mask';
import { iso, MINUTE } from '@/lib/time';
import { annotationContracts } from './schema';

/** The clock of a CI job may be ahead of ours by this much. */
const MAX_AHEAD_MS = 5 * MINUTE;

const timeIn = (at: string, now: number): number => {
  const time = Date.parse(at);
  if (time > now + MAX_AHEAD_MS) throw badField('at', 'This time is in the future.');
  if (time < now - EVENTS_KEPT_MS) throw badField('at', 'The history of that time is no longer stored.');
  return time;
};

/** annotations.create: a mark on the charts. It is in the console's store, so a read-only connection takes it too. */
export const createAnnotation = defineCommand({
  contract: annotationContracts.create,
  target: ({ text }) => maskSecrets(text, false),
  redact: ({ at, text, href }) => ({ at, text: maskSecrets(text, false), href: href ?? null }),
  isNoOp: async () => true,
  run: async (ctx, input) => {
    const event: PlacedEvent = {
      at: timeIn(input.at, ctx.now()),
      kind: 'annotation',
      text: maskSecrets(input.text, false),
      href: input.href ?? null,
      auditId: ctx.auditId,
      family: null,
    };
    await writePlacedEvent(ctx.store, ctx.connection.config.id, event);
    const annotation = { at: iso(event.at), text: event.text, href: event.href };
    return { result: { annotation }, after: annotation, undo: { ...event } };
  },
  undo: async (ctx, data) => {
    const event = placedEvent.parse(data);
    const removed = await removePlacedEvent(ctx.store, ctx.connection.config.id, event);
    return {
      undone: removed ? 1 : 0,
      conflicts: removed ? [] : [{ what: event.text, why: 'It is no longer on the charts.' }],
    };
  },
  undoNeedsNoConfirmation: true,
});
