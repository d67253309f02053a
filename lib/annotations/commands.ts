import 'server-only';
import { z } from 'zod';
import { maskSecrets } from '@/lib/catalog/mask';
import { defineCommand } from '@/lib/command/define';
import { badInput } from '@/lib/errors';
import {
  ANNOTATIONS_KEPT_MS,
  type Annotation,
  removeAnnotation,
  writeAnnotation,
} from '@/lib/history/annotations';
import { iso, MINUTE } from '@/lib/time';
import { annotationContracts } from './schema';

/** Clocks differ: a CI job's may be ahead of ours by this much. */
const MAX_AHEAD_MS = 5 * MINUTE;

const timeIn = (at: string, now: number): number => {
  const time = Date.parse(at);
  if (time > now + MAX_AHEAD_MS) throw badInput([{ path: 'at', message: 'This time is in the future.' }]);
  if (time < now - ANNOTATIONS_KEPT_MS)
    throw badInput([{ path: 'at', message: 'The history of that time is no longer stored.' }]);
  return time;
};

const undoData = z.object({
  at: z.number(),
  text: z.string(),
  href: z.string().nullable(),
  auditId: z.string(),
});

/** annotations.create: a mark on the charts. It lies in the console's store, so a read-only connection takes it too. */
export const createAnnotation = defineCommand({
  contract: annotationContracts.create,
  target: ({ text }) => maskSecrets(text, false),
  redact: ({ at, text, href }) => ({ at, text: maskSecrets(text, false), href: href ?? null }),
  isNoOp: async () => true,
  run: async (ctx, input) => {
    const annotation: Annotation = {
      at: timeIn(input.at, ctx.now()),
      text: maskSecrets(input.text, false),
      href: input.href ?? null,
      auditId: ctx.auditId,
    };
    await writeAnnotation(ctx.store, ctx.connection.config.id, annotation);
    const { at, text, href } = annotation;
    return {
      result: { annotation: { at: iso(at), text, href } },
      after: { at: iso(at), text, href },
      undo: { ...annotation },
    };
  },
  undo: async (ctx, stored) => {
    const annotation = undoData.parse(stored);
    const removed = await removeAnnotation(ctx.store, ctx.connection.config.id, annotation);
    const conflicts = removed ? [] : [{ what: annotation.text, why: 'it was already removed' }];
    return { undone: removed ? 1 : 0, conflicts };
  },
  undoNeedsNoConfirmation: true,
});
