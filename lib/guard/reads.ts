import 'server-only';
import { displayBytes, keyId } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { isoOrNull, SECOND } from '@/lib/time';
import { textOf } from '@/lib/values/string-value';
import { canonicalIp, whyNeverMatches } from './address';
import { readBans } from './bans';
import { countMembers, type MembersFilter, readMembers, setKey } from './members';
import type { BlacklistedIp, BlockedProject, guardContracts } from './schema';

const SHOWN = 200;

/** The collector reloads its sets by this period (003): a change is in force within it. */
export const inForceWithin = (ctx: ReadContext, set: 'projects' | 'blacklist'): number => {
  const { blockedPeriodMs, blacklistPeriodMs } = ctx.connection.config.hawk;
  return Math.ceil((set === 'projects' ? blockedPeriodMs : blacklistPeriodMs) / SECOND);
};

const memberOf = (member: Buffer) => ({ memberId: keyId(member), member: displayBytes(member, SHOWN) });

/** MongoDB prints ids in lower case and the collector matches exact text: upper case is shown and never matches. */
const toProject = (member: Buffer): BlockedProject => {
  const text = textOf(member);
  const projectId = text !== null && /^[0-9a-f]{24}$/i.test(text) ? text : null;
  return {
    ...memberOf(member),
    projectId,
    valid: projectId !== null && projectId === projectId.toLowerCase(),
  };
};

const page = <T>({ items, nextCursor }: { items: T[]; nextCursor: string | null }) => ({ items, nextCursor });

export const listBlockedProjects = async (
  ctx: ReadContext,
  filter: MembersFilter,
): Promise<Result<typeof guardContracts.projectsList>> => {
  const key = setKey(ctx, 'hawk.disabled-projects');
  const members = await readMembers(ctx, key, filter, async (found) => found.map(toProject));
  return {
    ...page(members),
    total: await countMembers(ctx, key),
    inForceWithinSeconds: inForceWithin(ctx, 'projects'),
  };
};

const toBlacklisted = async (ctx: ReadContext, members: Buffer[]): Promise<BlacklistedIp[]> => {
  const texts = members.map(textOf);
  const notes = await readBans(
    ctx,
    texts.map((text) => text ?? ''),
  );
  return members.map((member, i) => {
    const text = texts[i] ?? null;
    const reading = text === null ? null : canonicalIp(text);
    return {
      ...memberOf(member),
      ip: reading?.ok ? reading.ip : null,
      neverMatches: whyNeverMatches(text),
      note: notes[i]?.note ?? null,
      author: notes[i]?.author ?? null,
      expiresAt: isoOrNull(notes[i]?.expiresAt),
    };
  });
};

export const listBlacklist = async (
  ctx: ReadContext,
  filter: MembersFilter,
): Promise<Result<typeof guardContracts.blacklistList>> => {
  const key = setKey(ctx, 'hawk.blacklist-ips');
  const members = await readMembers(ctx, key, filter, (found) => toBlacklisted(ctx, found));
  return {
    ...page(members),
    total: await countMembers(ctx, key),
    inForceWithinSeconds: inForceWithin(ctx, 'blacklist'),
  };
};
