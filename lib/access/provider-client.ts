import 'server-only';
import { type Client, custom, Issuer } from 'openid-client';
import { discoveryUrl, type OidcSettings } from '@/lib/configuration';
import { processWide } from '@/lib/process-wide';
import { MINUTE, SECOND } from '@/lib/time';

/** For each request to the provider. */
export const PROVIDER_TIMEOUT_MS = 10 * SECOND;
/** How far clocks may differ, in seconds: next-auth's own value for its part. */
export const CLOCK_TOLERANCE_S = 10;
const DISCOVERED_MS = 10 * MINUTE;

interface Discovered {
  of: string;
  until: number;
  client: Promise<Client>;
}

const discovered = processWide('provider-client', () => ({ latest: null as Discovered | null }));

const discover = async (settings: OidcSettings): Promise<Client> => {
  custom.setHttpOptionsDefaults({ timeout: PROVIDER_TIMEOUT_MS });
  const issuer = await Issuer.discover(discoveryUrl(settings));
  const client = new issuer.Client({ client_id: settings.clientId, client_secret: settings.clientSecret });
  client[custom.clock_tolerance] = CLOCK_TOLERANCE_S;
  return client;
};

/** The provider by its discovery document, which is kept for ten minutes. Rejects while it is not reachable. */
export const providerClient = (settings: OidcSettings): Promise<Client> => {
  const of = `${settings.issuer} ${settings.clientId}`;
  const { latest } = discovered();
  if (latest?.of === of && Date.now() < latest.until) return latest.client;
  const next: Discovered = { of, until: Date.now() + DISCOVERED_MS, client: discover(settings) };
  discovered.replace({ latest: next });
  next.client.catch(() => {
    if (discovered().latest === next) discovered.forget();
  });
  return next.client;
};

/** Forgets the provider, for tests in which it moves. */
export const forgetProvider = (): void => discovered.forget();

/** Rejects unless `work` settles within `ms`; what it still does is ignored. */
export const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The provider took too long.')), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};
