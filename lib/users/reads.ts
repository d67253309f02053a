import 'server-only';
import {
  descendantsOf,
  type ListedApiToken,
  listApiTokens,
  type StoredApiToken,
  tokensOf,
} from '@/lib/access/api-tokens';
import { linksOf } from '@/lib/access/invitations';
import { hasSecondFactor } from '@/lib/access/second-factor/record';
import { isInvited, type ListedUser, listUsers, type StoredUser } from '@/lib/access/users';
import type { ConsoleContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { type PageInput, pageOfRows } from '@/lib/list-page';
import { may, PERMISSIONS } from '@/lib/permissions';
import { iso, isoOrNull } from '@/lib/time';
import { readPreferences } from './preferences/store';
import type { ApiToken, accountContracts, apiTokenContracts, User, userContracts } from './schema';

/** A user in responses, without the password's hash. */
export const wireUser = (user: StoredUser) => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  disabled: user.disabled,
  secondFactor: hasSecondFactor(user),
  createdAt: iso(user.createdAt),
  lastSeenAt: isoOrNull(user.lastSeenAt),
});

export const wireApiToken = (token: StoredApiToken) => ({
  id: token.id,
  name: token.name,
  role: token.role,
  createdAt: iso(token.createdAt),
  createdBy: token.createdBy,
  expiresAt: isoOrNull(token.expiresAt),
  lastUsedAt: isoOrNull(token.lastUsedAt),
});

/** Ids sort by time, so users and tokens come oldest first. */
const byAge = <T extends { id: string }>(rows: readonly T[], input: PageInput) =>
  pageOfRows(rows, input, ['string'], ({ id }) => [id]);

export const readUsers = async (
  ctx: ConsoleContext,
  { q = '', ...page }: PageInput & { q?: string | undefined } = {},
): Promise<Result<typeof userContracts.list>> => {
  const [users, tokens] = await Promise.all([listUsers(ctx.store), listApiTokens(ctx.store)]);
  const links = await linksOf(ctx.store, users, ctx.now());
  const listed = (user: ListedUser): User => ({
    ...wireUser(user),
    changedOutside: user.changedOutside,
    invited: isInvited(user),
    linkUntil: isoOrNull(links.get(user.id)),
    tokens: tokensOf(tokens, user.id, ctx.now()).length,
  });
  const text = q.trim().toLowerCase();
  const found = users.filter(({ name, email }) => `${name}\n${email}`.toLowerCase().includes(text));
  return byAge(found.map(listed), page);
};

export const readApiTokens = async (
  ctx: ConsoleContext,
  input: PageInput = {},
): Promise<Result<typeof apiTokenContracts.list>> => {
  const tokens = await listApiTokens(ctx.store);
  const madeBy = descendantsOf(tokens, ctx.now());
  const listed = (token: ListedApiToken): ApiToken => ({
    ...wireApiToken(token),
    tokens: madeBy([token.id]).length,
    changedOutside: token.changedOutside,
  });
  const { items, nextCursor } = byAge(tokens, input);
  return { items: items.map(listed), nextCursor };
};

/** The signed-in user. Works without the store, so that pages still render while it is unreachable. */
export const readAccount = async ({
  actor,
  store,
}: ConsoleContext): Promise<Result<typeof accountContracts.get>> => {
  const role = actor.role ?? 'viewer';
  return {
    id: actor.id,
    email: actor.kind === 'user' ? actor.email : null,
    name: actor.name,
    role,
    permissions: actor.role ? PERMISSIONS.filter((permission) => may(role, permission)) : [],
    preferences: actor.kind === 'user' ? await readPreferences(store, actor.id) : null,
  };
};
