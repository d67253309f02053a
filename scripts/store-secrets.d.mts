export function checkSharedSecrets(
  storeUrl: string,
  environment: { NEXTAUTH_SECRET: string; KEYWARD_SECRET_KEY: string },
  made: boolean,
): Promise<void>;
