import { z } from 'zod';
import { ROLES_EXPECTED, role, roles } from './configuration-oidc';
import * as values from './configuration-values';
import type { UserRole } from './permissions';

/** Sign-in by headers of an authenticating proxy. Names of headers are lower-case. */
export interface HeaderSettings {
  /** The header with the user's e-mail address. */
  user: string;
  /** The header with their groups, separated by commas; null: roles are those of the page Users. */
  groups: string | null;
  roles: readonly { group: string; role: UserRole }[];
  /** For users without such a group; null: they are refused. */
  defaultRole: UserRole | null;
  /** Where the proxy ends its own session; null: unknown. */
  signOutUrl: string | null;
}

/** Headers that browsers or proxies send anyway, or that this process sets. */
const TAKEN =
  /^(accept.*|authorization|connection|content-.*|cookie|forwarded|host|origin|referer|sec-.*|user-agent|x-forwarded-(for|host|port|proto)|x-keyward-.*|x-nonce|x-sign-in)$/i;

const header = values.expecting(
  'the name of a header that only your proxy sets, such as X-Forwarded-Email',
  z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .refine((name) => !TAKEN.test(name))
    .transform((name) => name.toLowerCase()),
);

const isSignOut = (text: string): boolean =>
  /^\/(?![/\\])[\x21-\x7e]*$/.test(text) || (URL.canParse(text) && new URL(text).protocol === 'https:');

/** The variables by their fixed names. */
export const HEADER_VARIABLES = {
  KEYWARD_HEADER_USER: values.orNull(header),
  KEYWARD_HEADER_GROUPS: values.orNull(header),
  KEYWARD_HEADER_ROLES: values.orNull(roles),
  KEYWARD_HEADER_DEFAULT_ROLE: values.orNull(role),
  KEYWARD_HEADER_SIGN_OUT_URL: values.orNull(
    values.expecting(
      'a path such as /oauth2/sign_out, or an https address',
      z.string().max(2000).refine(isSignOut),
    ),
  ),
};

type Given = z.output<z.ZodObject<typeof HEADER_VARIABLES>>;

/** What else is required beside the name of a header, and what excludes it. */
export const missingForHeader = (
  source: Record<string, string | undefined>,
): values.ConfigurationProblem[] => {
  const set = Object.keys(HEADER_VARIABLES).filter((name) => source[name]);
  if (set.length === 0) return [];
  const missing = (variable: string, expected: string) => ({ variable, found: 'nothing', expected });
  const problems: values.ConfigurationProblem[] = [];
  if (!source.KEYWARD_HEADER_USER)
    problems.push(missing('KEYWARD_HEADER_USER', `the name of a header beside ${set[0]}`));
  if (!source.KEYWARD_TRUSTED_PROXIES)
    problems.push(
      missing('KEYWARD_TRUSTED_PROXIES', 'the proxies that may name the user, beside KEYWARD_HEADER_USER'),
    );
  if (source.KEYWARD_HEADER_ROLES && !source.KEYWARD_HEADER_GROUPS)
    problems.push(missing('KEYWARD_HEADER_GROUPS', 'the header with the groups beside KEYWARD_HEADER_ROLES'));
  const needsRoles = source.KEYWARD_HEADER_GROUPS || !source.KEYWARD_HEADER_DEFAULT_ROLE;
  if (needsRoles && !source.KEYWARD_HEADER_ROLES)
    problems.push(
      missing('KEYWARD_HEADER_ROLES', `${ROLES_EXPECTED}; or KEYWARD_HEADER_DEFAULT_ROLE for everybody`),
    );
  if (source.KEYWARD_OIDC_ISSUER)
    problems.push({
      variable: 'KEYWARD_HEADER_USER',
      found: 'KEYWARD_OIDC_ISSUER beside it',
      expected: 'one of both: two authorities would overrule each other',
    });
  return problems;
};

/** Null without the name of the user's header. */
export const headerOf = (given: Given): HeaderSettings | null =>
  given.KEYWARD_HEADER_USER
    ? {
        user: given.KEYWARD_HEADER_USER,
        groups: given.KEYWARD_HEADER_GROUPS,
        roles: given.KEYWARD_HEADER_ROLES ?? [],
        defaultRole: given.KEYWARD_HEADER_DEFAULT_ROLE,
        signOutUrl: given.KEYWARD_HEADER_SIGN_OUT_URL,
      }
    : null;
