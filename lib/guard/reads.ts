import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { type ScheduledItem, scheduledOf } from '@/lib/jobs/schedule';
import { displayName, keyId } from '@/lib/keyspace/display';
import { withoutStore } from '@/lib/redis/failure';
import { isoOrNull, SECOND } from '@/lib/time';
import { countDigits } from '@/lib/values/count-digits';
import { textOf } from '@/lib/values/string-value';
import { exactlyIfKnown, type Whole, wholeOf } from '@/lib/values/whole';
import { canonicalIp, protector, whyNeverMatches } from './address';
import { asText, type BanNote, readNotes, readNotesIfStored } from './bans';
import { LIFT_ACTION } from './endings';
import { countMembers, type MembersFilter, readMembers, setKey } from './members';
import type { BlacklistedIp, BlockedProject, guardContracts } from './schema';

/** Seconds until a change takes effect: the collector reloads its sets with this period. */
export const secondsToEffect = (ctx: ReadContext, set: 'projects' | 'blacklist'): number => {
  const { blockedPeriodMs, blacklistPeriodMs } = ctx.connection.config.hawk;
  return Math.ceil((set === 'projects' ? blockedPeriodMs : blacklistPeriodMs) / SECOND);
};

const memberOf = (member: Buffer) => ({ memberId: keyId(member), member: displayName(member) });

const PROJECT_ID = /^[0-9a-f]{24}$/i;

/** What a project is called, by its id; null where that is not known. */
export type ProjectName = (projectId: string) => string | null;

/**
 * Only lower-case ids are valid: MongoDB prints them so, and the collector compares exact text. `note` is undefined where
 * notes cannot be read.
 */
const toProject = (member: Buffer, note: BanNote | null | undefined, nameOf: ProjectName): BlockedProject => {
  const text = textOf(member);
  const projectId = text !== null && PROJECT_ID.test(text) ? text : null;
  return {
    ...memberOf(member),
    projectId,
    name: projectId && nameOf(projectId),
    valid: projectId !== null && projectId === projectId.toLowerCase(),
    note: note?.note ?? null,
    author: note?.author ?? null,
    blockedAt: isoOrNull(note?.at),
    byKeyward: note === undefined ? null : Boolean(note?.author),
  };
};

/** The spellings of a complete id; null for a part of one. */
const exactSpellings = (q: string): string[] | null =>
  PROJECT_ID.test(q) ? [...new Set([q, q.toLowerCase(), q.toUpperCase()])] : null;

const page = <T>({ items, nextCursor }: { items: T[]; nextCursor: string | null }) => ({ items, nextCursor });

export const listBlockedProjects = async (
  ctx: ReadContext,
  filter: MembersFilter,
  nameOf: ProjectName = () => null,
): Promise<Result<typeof guardContracts.projectsList>> => {
  const key = setKey(ctx, 'block-list');
  const show = async (found: Buffer[]) => {
    const notes = await readNotes(ctx, asText(found)).catch(withoutStore<(BanNote | null)[]>([]));
    return found.map((member, i) => toProject(member, notes[i], nameOf));
  };
  const members = await readMembers(ctx, key, filter, show, exactSpellings);
  return {
    ...page(members),
    examined: members.examined,
    total: await countMembers(ctx, key),
    inForceWithinSeconds: secondsToEffect(ctx, 'projects'),
  };
};

/** Requests of exactly these texts in the current period; null where the map is unreadable. */
const readRequests = async (ctx: ReadContext, members: readonly Buffer[]): Promise<(Whole | null)[]> => {
  const family = ctx.catalog.role('period-request-counts');
  if (!family || members.length === 0) return members.map(() => null);
  const [values] = await ctx.reader.readMany([['HMGET', family.key(), ...members]]);
  if (values instanceof Error) return members.map(() => null);
  return values.map((value) => {
    if (value === null) return 0;
    const digits = countDigits(value);
    return digits === null ? null : wholeOf(digits);
  });
};

/** Why plans did not lift their bans, by plan. */
const readSuspended = async (ctx: ReadContext): Promise<Map<string, string>> => {
  const items = await scheduledOf(ctx.store, ctx.connection.config.id, LIFT_ACTION).catch(
    withoutStore<ScheduledItem[]>([]),
  );
  return new Map(items.flatMap(({ id, state, why }) => (state === 'suspended' ? [[id, why ?? '']] : [])));
};

const toBlacklisted = async (ctx: ReadContext, members: Buffer[]): Promise<BlacklistedIp[]> => {
  const texts = members.map(textOf);
  const [notes, requests, suspended] = await Promise.all([
    readNotesIfStored(
      ctx,
      texts.map((text) => text ?? ''),
    ),
    readRequests(ctx, members),
    readSuspended(ctx),
  ]);
  const isProtected = protector(ctx.connection.config.hawk.protectedIps);
  return members.map((member, i) => {
    const text = texts[i] ?? null;
    const reading = text === null ? null : canonicalIp(text);
    const ip = reading?.ok ? reading.ip : null;
    const note = notes[i];
    const counted = exactlyIfKnown(requests[i] ?? null);
    return {
      ...memberOf(member),
      ip,
      neverMatches: whyNeverMatches(text),
      note: note?.note ?? null,
      author: note?.author ?? null,
      bannedAt: isoOrNull(note?.at),
      expiresAt: isoOrNull(note?.expiresAt),
      notLifted: (note?.plan && suspended.get(note.plan)) || null,
      requests: counted.value,
      requestsExact: counted.exact,
      protected: ip !== null && isProtected(ip),
      own: ip !== null && ip === ctx.address,
    };
  });
};

export const listBlacklist = async (
  ctx: ReadContext,
  filter: MembersFilter,
): Promise<Result<typeof guardContracts.blacklistList>> => {
  const key = setKey(ctx, 'ban-list');
  const members = await readMembers(ctx, key, filter, (found) => toBlacklisted(ctx, found));
  return {
    ...page(members),
    examined: members.examined,
    total: await countMembers(ctx, key),
    inForceWithinSeconds: secondsToEffect(ctx, 'blacklist'),
  };
};
