import 'server-only';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import { scheduledTime } from '@/lib/command/validate';
import type { Input } from '@/lib/contract';
import { iso, isoOrNull } from '@/lib/time';
import { textOf } from '@/lib/values/string-value';
import { type BanNote, banNote, deleteNotes, type Noted, noteText, readNotes, writeNotes } from './bans';
import { MAX_AUDITED, membersLine } from './changes';
import { addressesOf, blacklistKey, ipsLine } from './commands';
import { leaveEndings, restoreNotes, scheduleEnd } from './endings';
import { impactOnPresent } from './impact';
import { areMembers } from './members';
import { ipRemovals, memberRemovals } from './plan';
import { guardContracts } from './schema';

type Annotation = Input<typeof guardContracts.blacklistAnnotate>;

const NONE: BanNote = { note: null, author: null, at: null, expiresAt: null, plan: null };

/** The members of the blacklist that the input names, each once, as text. Notes are stored for banned addresses only. */
const findBanned = async (
  ctx: WriteContext,
  input: Annotation,
): Promise<{ ips: string[]; notThere: number }> => {
  const named = input.ips ? ipRemovals(input.ips) : memberRemovals(input.memberIds ?? []);
  const candidates = named.flat();
  const isMember = await areMembers(ctx, blacklistKey(ctx), candidates);
  const present = new Set(
    candidates.filter((_, i) => isMember[i]).map((member) => member.toString('latin1')),
  );
  const found = named.map((spellings) => spellings.find((member) => present.has(member.toString('latin1'))));
  const texts = found.flatMap((member) => (member && textOf(member)) || []);
  return { ips: [...new Set(texts)], notThere: named.length - texts.length };
};

const audited = (notes: readonly (readonly [string, BanNote | null])[]): AuditJson =>
  notes.slice(0, MAX_AUDITED).map(([ip, note]) => ({
    ip,
    note: note?.note ?? null,
    expiresAt: isoOrNull(note?.expiresAt),
  }));

/** What undo needs per address: the note before (null: none) and the note written. */
const undoSchema = z.object({ notes: z.array(z.tuple([z.string(), banNote.nullable(), banNote])) });

const annotate = async (ctx: WriteContext, input: Annotation) => {
  const { ips, notThere } = await findBanned(ctx, input);
  const endsAt =
    typeof input.expiresAt === 'string' ? scheduledTime('expiresAt', input.expiresAt, ctx.now()) : null;
  const before = await readNotes(ctx, ips);
  const plan = endsAt !== null && ips.length > 0 ? await scheduleEnd(ctx, ips, endsAt) : null;
  const change: Partial<BanNote> = {
    ...(input.note === undefined ? {} : { note: noteText(input.note) }),
    ...(input.expiresAt === undefined ? {} : { expiresAt: endsAt, plan }),
  };
  const after = ips.map((ip, i): Noted => [ip, { ...(before[i] ?? NONE), ...change }]);
  const old = ips.map((ip, i) => [ip, before[i] ?? null] as const);
  await writeNotes(ctx, after);
  if (input.expiresAt !== undefined) await leaveEndings(ctx, withNote(old));
  return {
    result: { changed: ips.length, notThere },
    before: audited(old),
    after: audited(after),
    ...(ips.length > 0 ? { undo: { notes: old.map(([ip, note], i) => [ip, note, after[i]![1]]) } } : {}),
  };
};

const withNote = (notes: readonly (readonly [string, BanNote | null])[]): Noted[] =>
  notes.flatMap(([ip, note]): Noted[] => (note ? [[ip, note]] : []));

const same = (a: BanNote | null, b: BanNote): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Changes the note or the end of existing bans. */
export const annotateBans = defineCommand({
  contract: guardContracts.blacklistAnnotate,
  target: ({ ips, memberIds }) => (ips ? ipsLine(ips) : membersLine(memberIds ?? [], 'address', 'addresses')),
  redact: ({ ips, memberIds, note, expiresAt }) => ({
    count: (ips ?? memberIds ?? []).length,
    ips: addressesOf((ips ?? []).slice(0, MAX_AUDITED)),
    ...(note === undefined ? {} : { note: noteText(note) }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : iso(Date.parse(expiresAt)) }),
  }),
  needsConfirmation: ({ ips, memberIds }) => (ips ?? memberIds ?? []).length > 1,
  impact: impactOnPresent('ban-list'),
  // An end lifts the ban at its time.
  actsAs: ({ expiresAt }) => (typeof expiresAt === 'string' ? ['guard.blacklist.remove'] : []),
  run: annotate,
  undo: async (ctx, record) => {
    const { notes } = undoSchema.parse(record);
    const current = await readNotes(
      ctx,
      notes.map(([ip]) => ip),
    );
    const unchanged = notes.filter(([, , after], i) => same(current[i] ?? null, after));
    const changed = notes.filter(([, , after], i) => !same(current[i] ?? null, after));
    await leaveEndings(
      ctx,
      unchanged.map(([ip, , after]) => [ip, after]),
    );
    await restoreNotes(ctx, withNote(unchanged.map(([ip, before]) => [ip, before] as const)));
    const without = unchanged.filter(([, before]) => before === null).map(([ip]) => ip);
    await deleteNotes(ctx, without);
    const conflicts = changed
      .slice(0, MAX_AUDITED)
      .map(([what]) => ({ what, why: 'Its note was changed since, or the ban was lifted.' }));
    return { undone: unchanged.length, conflicts };
  },
});
