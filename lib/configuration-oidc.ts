import { z } from 'zod';
import * as values from './configuration-values';
import { USER_ROLES, type UserRole } from './permissions';

const { expecting, orNull, text } = values;

/** Sign-in at a company's OpenID provider. */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** On the button of the sign-in page. */
  name: string;
  scope: string;
  /** The claim with the groups of a user: its name, or a path such as `realm_access.roles`. */
  roleClaim: string;
  /** The first group that a user has decides. */
  roles: readonly { group: string; role: UserRole }[];
  /** For people without such a group; null: they are refused. */
  defaultRole: UserRole | null;
}

/** Whether an address is https, or on this machine. */
export const isProviderAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' || (url.protocol === 'http:' && values.isLoopback(url));
};

const isIssuer = (text: string): boolean => {
  if (!isProviderAddress(text)) return false;
  const { search, hash, username } = new URL(text);
  return search === '' && hash === '' && username === '';
};

/** Where a provider describes itself (OpenID Connect Discovery 1.0, section 4). */
export const discoveryUrl = ({ issuer }: OidcSettings): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

export const role = z.enum(USER_ROLES);

export const ROLES_EXPECTED = `groups with their roles, such as keyward-admins=admin, staff=viewer; roles: ${USER_ROLES.join(', ')}`;

/** `group=role, group=role`; the group may have `=` in it. */
export const roles = values.expecting(
  ROLES_EXPECTED,
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
        .map((part) => ({
          group: part.slice(0, part.lastIndexOf('=')).trim(),
          role: part.slice(part.lastIndexOf('=') + 1).trim(),
        })),
    )
    .pipe(
      z
        .array(z.object({ group: z.string().min(1), role }))
        .min(1)
        .max(200),
    ),
);

/** The variables by their fixed names. */
export const OIDC_VARIABLES = {
  KEYWARD_OIDC_ISSUER: orNull(
    expecting(
      'the https address of an OpenID provider, as its discovery document has it',
      z.string().refine(isIssuer),
    ),
  ),
  KEYWARD_OIDC_CLIENT_ID: orNull(z.string().min(1)),
  KEYWARD_OIDC_CLIENT_SECRET: orNull(
    expecting('the secret of the client', z.string().min(1), { secret: true }),
  ),
  KEYWARD_OIDC_NAME: orNull(z.string().min(1).max(40)),
  KEYWARD_OIDC_SCOPE: orNull(text('scopes, openid among them', /(^| )openid( |$)/)),
  KEYWARD_OIDC_ROLE_CLAIM: orNull(z.string().min(1)),
  KEYWARD_OIDC_ROLES: orNull(roles),
  KEYWARD_OIDC_DEFAULT_ROLE: orNull(role),
};

type Given = z.output<z.ZodObject<typeof OIDC_VARIABLES>>;

/** What else is required beside an issuer, and what has no meaning without one. */
export const missingForOidc = (source: Record<string, string | undefined>): values.ConfigurationProblem[] => {
  const names = Object.keys(OIDC_VARIABLES).filter((name) => source[name]);
  if (names.length === 0) return [];
  const needed = ['KEYWARD_OIDC_ISSUER', 'KEYWARD_OIDC_CLIENT_ID', 'KEYWARD_OIDC_CLIENT_SECRET'];
  const problems = needed
    .filter((name) => !source[name])
    .map((variable) => ({ variable, found: 'nothing', expected: `a value beside ${names[0]}` }));
  if (!source.KEYWARD_OIDC_ROLES && !source.KEYWARD_OIDC_DEFAULT_ROLE)
    problems.push({
      variable: 'KEYWARD_OIDC_ROLES',
      found: 'nothing',
      expected: `${ROLES_EXPECTED}; or KEYWARD_OIDC_DEFAULT_ROLE for everybody`,
    });
  return problems;
};

/** Null without an issuer. */
export const oidcOf = (given: Given): OidcSettings | null => {
  const {
    KEYWARD_OIDC_ISSUER: issuer,
    KEYWARD_OIDC_CLIENT_ID: clientId,
    KEYWARD_OIDC_CLIENT_SECRET: clientSecret,
  } = given;
  if (!issuer || !clientId || !clientSecret) return null;
  return {
    issuer,
    clientId,
    clientSecret,
    name: given.KEYWARD_OIDC_NAME ?? new URL(issuer).hostname,
    scope: given.KEYWARD_OIDC_SCOPE ?? 'openid email profile',
    roleClaim: given.KEYWARD_OIDC_ROLE_CLAIM ?? 'groups',
    roles: given.KEYWARD_OIDC_ROLES ?? [],
    defaultRole: given.KEYWARD_OIDC_DEFAULT_ROLE,
  };
};
