import type { Role } from './permissions';

/** Who acts. Comes from credentials or the job runner, never from input. */
export type Actor =
  /**
   * `epoch`: the session version under which the user was authenticated. `session`: the digest of that session's id.
   */
  | {
      kind: 'user';
      id: string;
      email: string;
      name: string;
      role: Role;
      epoch?: number;
      session?: string;
    }
  /**
   * `owner`: the id of the user who created the token, directly or through other tokens, or `environment:…` for the
   * configuration's token and those created with it. Tokens of earlier versions have none.
   */
  | { kind: 'token'; id: string; name: string; role: Role; owner?: string }
  | { kind: 'schedule'; id: string; onBehalfOf: string; name: string; role: Role | null }
  | { kind: 'system'; id: 'system'; name: string; role: Role | null }
  | { kind: 'anonymous'; id: 'anonymous'; name: string; role: null };

const ENVIRONMENT = 'environment:';

/** The owner that represents the configuration's token with this digest. */
export const environmentOwner = (tokenDigest: string): string => ENVIRONMENT + tokenDigest;

/** The id of the user who owns a token; null where no user does. */
export const userOf = (owner: string | undefined): string | null =>
  !owner || owner.startsWith(ENVIRONMENT) ? null : owner;

/** The id of the user responsible for an actor: a token acts for its creator. Null where there is no user. */
export const ownerOf = (actor: Actor): string | null => {
  if (actor.kind === 'user') return actor.id;
  return actor.kind === 'token' ? userOf(actor.owner) : null;
};

/** Under which id an actor's own settings are: a token's are those of its user, or its own where no user owns it. */
export const settingsIdOf = (actor: Actor): string => ownerOf(actor) ?? actor.id;

/** One line naming the actor, as the audit log and the jobs page show it. */
export const actorLabel = (actor: Actor): string => {
  switch (actor.kind) {
    case 'user':
      return actor.email;
    case 'token':
      return `API token ${actor.name}`;
    case 'schedule':
      return `schedule, on behalf of ${actor.name}`;
    default:
      return actor.name;
  }
};

export const anonymous = (name = 'anonymous'): Actor => ({
  kind: 'anonymous',
  id: 'anonymous',
  name,
  role: null,
});
export const systemActor = (name = 'Keyward'): Actor => ({ kind: 'system', id: 'system', name, role: null });
