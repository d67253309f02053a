declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Context {
    path: string;
    body: unknown;
  }

  /** The part of the package that tests use; it has no types of its own. */
  export class Provider {
    constructor(
      issuer: string,
      settings: {
        clients: Record<string, unknown>[];
        claims: Record<string, string[]>;
        conformIdTokenClaims: boolean;
        cookies: { keys: string[] };
        jwks: { keys: object[] };
        features: { backchannelLogout: { enabled: boolean } };
        fetch: (url: string, options: RequestInit & { dispatcher?: unknown }) => Promise<Response>;
        issueRefreshToken: () => boolean;
        rotateRefreshToken: () => boolean;
        findAccount: (
          context: unknown,
          subject: string,
        ) => { accountId: string; claims: () => Record<string, unknown> } | undefined;
      },
    );
    callback(): RequestListener;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
  }
}
