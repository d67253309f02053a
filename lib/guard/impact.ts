import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Impact } from '@/lib/command/define';
import { areMembers, setKey } from './members';
import { ipRemovals, memberRemovals, projectRemovals } from './plan';

interface Named {
  ips?: readonly string[] | undefined;
  projectIds?: readonly string[] | undefined;
  memberIds?: readonly string[] | undefined;
}

/** How many of the named entries a set has now. */
const present = async (
  ctx: ReadContext,
  role: 'ban-list' | 'block-list',
  { ips, projectIds, memberIds = [] }: Named,
): Promise<number> => {
  const named = ips ? ipRemovals(ips) : projectIds ? projectRemovals(projectIds) : memberRemovals(memberIds);
  const spellings = named.flat();
  const isMember = await areMembers(ctx, setKey(ctx, role), spellings);
  const found = new Set(spellings.filter((_, i) => isMember[i]).map((member) => member.toString('latin1')));
  return named.filter((each) => each.some((member) => found.has(member.toString('latin1')))).length;
};

/** The bans, or blocked projects, that a change of existing entries touches. */
export const impactOnPresent =
  (role: 'ban-list' | 'block-list') =>
  async (ctx: ReadContext, input: Named): Promise<Impact> => ({ count: await present(ctx, role, input) });

/** The projects that are not blocked yet. */
export const impactOfBlock = async (
  ctx: ReadContext,
  { projectIds }: { projectIds: readonly string[] },
): Promise<Impact> => {
  const ids = [...new Set(projectIds.map((id) => id.toLowerCase()))];
  const already = await present(ctx, 'block-list', { projectIds: ids });
  return { count: ids.length - already, facts: { already } };
};
