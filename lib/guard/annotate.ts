import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import { scheduledTime } from '@/lib/command/validate';
import type { Input } from '@/lib/contract';
import { iso, isoOrNull } from '@/lib/time';
import { textOf } from '@/lib/values/string-value';
import { type BanNote, banNote, findBans, forgetBans, type Noted, noteText, writeBans } from './bans';
import { count, MAX_AUDITED } from './changes';
import { addressesOf, blacklistKey, ipsLine } from './commands';
import { leavePlans, planEnd, restoreNotes } from './endings';
import { haveMembers } from './members';
import { ipRemovals, memberRemovals } from './plan';
import { guardContracts } from './schema';

type Annotation = Input<typeof guardContracts.blacklistAnnotate>;

const NONE: BanNote = { note: null, author: null, at: null, expiresAt: null, plan: null };

/** The bans that are meant and there, each once, as text; notes of what is none are kept by nobody. */
const bansOf = async (ctx: WriteContext, input: Annotation): Promise<{ ips: string[]; notThere: number }> => {
  const meant = input.ips ? ipRemovals(input.ips) : memberRemovals(input.memberIds ?? []);
  const flat = meant.flat();
  const there = await haveMembers(ctx, blacklistKey(ctx), flat);
  const present = new Set(flat.filter((_, i) => there[i]).map((member) => member.toString('latin1')));
  const found = meant.map((spellings) => spellings.find((member) => present.has(member.toString('latin1'))));
  const texts = found.flatMap((member) => (member && textOf(member)) || []);
  return { ips: [...new Set(texts)], notThere: meant.length - texts.length };
};

const audited = (notes: readonly (readonly [string, BanNote | null])[]): AuditJson =>
  notes.slice(0, MAX_AUDITED).map(([ip, note]) => ({
    ip,
    note: note?.note ?? null,
    expiresAt: isoOrNull(note?.expiresAt),
  }));

/** What undoing needs: what stood there, and what it was replaced with. */
const kept = z.object({ notes: z.array(z.tuple([z.string(), banNote.nullable(), banNote])) });

const annotate = async (ctx: WriteContext, input: Annotation) => {
  const { ips, notThere } = await bansOf(ctx, input);
  const endsAt =
    typeof input.expiresAt === 'string' ? scheduledTime('expiresAt', input.expiresAt, ctx.now()) : null;
  const before = await findBans(ctx, ips);
  const plan = endsAt !== null && ips.length > 0 ? await planEnd(ctx, ips, endsAt) : null;
  const change: Partial<BanNote> = {
    ...(input.note === undefined ? {} : { note: noteText(input.note) }),
    ...(input.expiresAt === undefined ? {} : { expiresAt: endsAt, plan }),
  };
  const after = ips.map((ip, i): Noted => [ip, { ...(before[i] ?? NONE), ...change }]);
  const old = ips.map((ip, i) => [ip, before[i] ?? null] as const);
  await writeBans(ctx, after);
  if (input.expiresAt !== undefined) await leavePlans(ctx, noted(old));
  return {
    result: { changed: ips.length, notThere },
    before: audited(old),
    after: audited(after),
    ...(ips.length > 0 ? { undo: { notes: old.map(([ip, note], i) => [ip, note, after[i]![1]]) } } : {}),
  };
};

const noted = (notes: readonly (readonly [string, BanNote | null])[]): Noted[] =>
  notes.flatMap(([ip, note]): Noted[] => (note ? [[ip, note]] : []));

const same = (a: BanNote | null, b: BanNote): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Changes the note or the end of bans that are there. */
export const annotateBans = defineCommand({
  contract: guardContracts.blacklistAnnotate,
  target: ({ ips, memberIds }) => (ips ? ipsLine(ips) : count(memberIds?.length ?? 0, 'entry', 'entries')),
  redact: ({ ips, memberIds, note, expiresAt }) => ({
    count: (ips ?? memberIds ?? []).length,
    ips: addressesOf((ips ?? []).slice(0, MAX_AUDITED)),
    ...(note === undefined ? {} : { note: noteText(note) }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : iso(Date.parse(expiresAt)) }),
  }),
  needsConfirmation: ({ ips, memberIds }) => (ips ?? memberIds ?? []).length > 1,
  run: annotate,
  undo: async (ctx, record) => {
    const { notes } = kept.parse(record);
    const present = await findBans(
      ctx,
      notes.map(([ip]) => ip),
    );
    const unchanged = notes.filter(([, , after], i) => same(present[i] ?? null, after));
    const changed = notes.filter(([, , after], i) => !same(present[i] ?? null, after));
    await leavePlans(
      ctx,
      unchanged.map(([ip, , after]) => [ip, after]),
    );
    await restoreNotes(ctx, noted(unchanged.map(([ip, before]) => [ip, before] as const)));
    const without = unchanged.filter(([, before]) => before === null).map(([ip]) => ip);
    await forgetBans(ctx, without);
    const conflicts = changed
      .slice(0, MAX_AUDITED)
      .map(([what]) => ({ what, why: 'Its note was changed since, or it was lifted.' }));
    return { undone: unchanged.length, conflicts };
  },
});
