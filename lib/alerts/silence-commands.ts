import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import { badField, notFound, Problem } from '@/lib/errors';
import { DAY } from '@/lib/time';
import { connectionOf, nameOf, openOne } from './change';
import { alertContracts, MAX_RULES } from './schema';
import { readOne, replaceOne, type StoredSilence, storedSilence } from './stored-rule';

const MAX_SILENCES = 100;
const MAX_SILENCE_MS = 366 * DAY;
const MAX_TRIES = 5;

/** Changes the silences of a rule by compare-and-set. Returns those it had. */
export const changeSilences = async (
  ctx: WriteContext,
  rule: string,
  change: (silences: StoredSilence[]) => StoredSilence[],
): Promise<StoredSilence[]> => {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const read = await readOne(ctx.store, 'silences', connectionOf(ctx), rule);
    const active = (read?.value ?? []).filter(({ until }) => until > ctx.now());
    const after = change(active);
    const result = await replaceOne(ctx.store, 'silences', connectionOf(ctx), rule, {
      before: read?.text ?? null,
      after: after.length === 0 ? null : after,
      max: MAX_RULES,
    });
    if (result === 'ok') return active;
  }
  throw new Problem('conflict', 'The silences of this rule were changed at the same time. Try again.');
};

const silenceShown = ({ series, until }: StoredSilence): AuditJson => ({ series, until });

const keptSilence = z.object({
  id: z.string(),
  series: z.string().nullable(),
  before: z.array(storedSilence),
});

/** Restores the silences of one series, or of all, as they were. */
const undoSilence = async (ctx: WriteContext, data: AuditJson) => {
  const { id, series, before } = keptSilence.parse(data);
  await changeSilences(ctx, id, (now) => [
    ...now.filter((each) => each.series !== series),
    ...before.filter((each) => each.series === series),
  ]);
  return { undone: 1, conflicts: [] };
};

const ofSilences = {
  isNoOp: async () => true,
  undo: undoSilence,
  undoOfConsole: true,
} as const;

const untilIn = (text: string, now: number): number => {
  const until = Date.parse(text);
  if (until <= now) throw badField('until', 'This time is in the past.');
  if (until > now + MAX_SILENCE_MS) throw badField('until', 'This is more than a year ahead.');
  return until;
};

export const silenceAlert = defineCommand({
  contract: alertContracts.silence,
  target: nameOf('rules'),
  redact: ({ series, until }) => ({ series: series ?? null, until }),
  ...ofSilences,
  run: async (ctx, { id, series = null, until: text }) => {
    await openOne(ctx, 'rules', id);
    if (ctx.reason === null) throw badField('reason', 'A silence needs a reason.');
    const until = untilIn(text, ctx.now());
    const silence: StoredSilence = { series, until, reason: ctx.reason, by: ctx.actor.name };
    const before = await changeSilences(ctx, id, (silences) => {
      const others = silences.filter((each) => each.series !== series);
      if (others.length >= MAX_SILENCES) throw new Problem('conflict', 'This rule has too many silences.');
      return [...others, silence];
    });
    return { result: { id, until: text }, after: silenceShown(silence), undo: { id, series, before } };
  },
});

export const unsilenceAlert = defineCommand({
  contract: alertContracts.unsilence,
  target: nameOf('rules'),
  redact: ({ series }) => ({ series: series ?? null }),
  ...ofSilences,
  run: async (ctx, { id, series = null }) => {
    await openOne(ctx, 'rules', id);
    const before = await changeSilences(ctx, id, (all) => all.filter((each) => each.series !== series));
    const ended = before.find((each) => each.series === series);
    if (!ended) throw notFound('A silence of this rule');
    return { result: { id }, before: silenceShown(ended), undo: { id, series, before } };
  },
});
