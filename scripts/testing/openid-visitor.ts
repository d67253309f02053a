import { forgetEnv } from '@/lib/configuration';
import { AuthVisitor, ORIGIN } from './auth-visitor';
import { CLIENT, type TestProvider, visitProvider } from './openid-provider';

/** Where a provider sends browsers back to. */
export const REDIRECT_URI = `${ORIGIN}/api/auth/callback/oidc`;

/** Sets the variables of this process: sign-in at a provider, which makes admins and support. */
export const configureProvider = (
  { issuer }: Pick<TestProvider, 'issuer'>,
  change: Record<string, string> = {},
): void => {
  Object.assign(process.env, {
    NEXTAUTH_SECRET: 'for-tests',
    NEXTAUTH_URL: ORIGIN,
    KEYWARD_BASE_PATH: '',
    KEYWARD_OIDC_ISSUER: issuer,
    KEYWARD_OIDC_CLIENT_ID: CLIENT.id,
    KEYWARD_OIDC_CLIENT_SECRET: CLIENT.secret,
    KEYWARD_OIDC_ROLES: 'keyward-admins=admin, helpdesk=support',
    KEYWARD_OIDC_ROLE_CLAIM: '',
    KEYWARD_LOCAL_ACCOUNTS: 'all',
    ...change,
  });
  forgetEnv();
};

/** Undoes `configureProvider`, for the next file of this worker. */
export const withoutProvider = (): void => {
  for (const name of Object.keys(process.env)) if (name.startsWith('KEYWARD_OIDC_')) delete process.env[name];
  delete process.env.KEYWARD_LOCAL_ACCOUNTS;
  forgetEnv();
};

/** A browser that signs in at a provider. */
export class OpenIdVisitor extends AuthVisitor {
  /** Its cookies at the provider. */
  readonly atProvider = new Map<string, string>();

  /** Where the sign-in page sends the browser. */
  async begin(): Promise<string> {
    const response = await this.post('signin/oidc', { callbackUrl: '/demo/flags' });
    return ((await response.json()) as { url: string }).url;
  }

  /** Comes back from the provider. Returns where the console sends the browser. */
  async comeBack(url: string): Promise<string | null> {
    const answer = await this.send(url.slice(`${ORIGIN}/api/auth/`.length));
    return answer.headers.get('location');
  }

  /** Signs in, and returns where the console sends the browser. */
  async signIn(name: string): Promise<string | null> {
    return this.comeBack(await visitProvider(await this.begin(), name, this.atProvider));
  }

  actor() {
    return this.whoAmI().catch(() => null);
  }
}
