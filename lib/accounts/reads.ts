import 'server-only';
import { listApiTokens, type StoredApiToken } from '@/lib/access/api-tokens';
import { listUsers, type StoredUser } from '@/lib/access/users';
import type { ConsoleContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { may, PERMISSIONS } from '@/lib/permissions';
import { iso, isoOrNull } from '@/lib/time';
import type { ApiToken, accountContracts, apiTokenContracts, User, userContracts } from './schema';

/** A user on the wire: never the password's hash. */
export const wireUser = ({ id, email, name, role, disabled, createdAt, lastSeenAt }: StoredUser): User => ({
  id,
  email,
  name,
  role,
  disabled,
  createdAt: iso(createdAt),
  lastSeenAt: isoOrNull(lastSeenAt),
});

export const wireApiToken = (token: StoredApiToken): ApiToken => ({
  id: token.id,
  name: token.name,
  role: token.role,
  createdAt: iso(token.createdAt),
  createdBy: token.createdBy,
  expiresAt: isoOrNull(token.expiresAt),
  lastUsedAt: isoOrNull(token.lastUsedAt),
});

export const readUsers = async (ctx: ConsoleContext): Promise<Result<typeof userContracts.list>> => ({
  items: (await listUsers(ctx.store)).map(wireUser),
  nextCursor: null,
});

export const readApiTokens = async (ctx: ConsoleContext): Promise<Result<typeof apiTokenContracts.list>> => ({
  items: (await listApiTokens(ctx.store)).map(wireApiToken),
  nextCursor: null,
});

/** Who is signed in. Works without the store: pages keep their shape while it is gone. */
export const readAccount = async ({
  actor,
}: ConsoleContext): Promise<Result<typeof accountContracts.get>> => {
  const role = actor.role ?? 'viewer';
  return {
    id: actor.id,
    email: actor.kind === 'user' ? actor.email : null,
    name: actor.name,
    role,
    permissions: actor.role ? PERMISSIONS.filter((permission) => may(role, permission)) : [],
  };
};
