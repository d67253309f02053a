import 'server-only';
import { env } from '@/lib/configuration';

const originOf = (text: string): string | null => (URL.canParse(text) ? new URL(text).origin : null);

/** The origin of NEXTAUTH_URL; null where it is not set and the request decides. */
const configuredOrigin = (): string | null => {
  const url = env().nextAuthUrl;
  return url ? originOf(url) : null;
};

const hostOf = (origin: string): string => new URL(origin).host;

/** Whether `origin` is ours: the configured one, or the host this request was sent to. */
const isOurs = (origin: string, headers: Headers): boolean =>
  origin === configuredOrigin() ||
  (/^https?:/.test(origin) && hostOf(origin) === headers.get('host')?.toLowerCase());

/**
 * The origin the browser uses: its Origin header where that is ours (localhost or 127.0.0.1), else the configured one
 * (a proxy may have changed Host), else the Host header, which a browser sets and a page cannot.
 */
export const requestOrigin = (headers: Headers, url: string): string => {
  const sent = originOf(headers.get('origin') ?? '');
  if (sent && isOurs(sent, headers)) return sent;
  const here = new URL(url);
  return configuredOrigin() ?? originOf(`${here.protocol}//${headers.get('host')}`) ?? here.origin;
};

/**
 * Whether the console's own pages sent this request, by Origin, or by Sec-Fetch-Site where a browser omits Origin or
 * sends null, as it does for forms under our no-referrer policy. A request with neither is refused.
 */
export const isOwnOrigin = (headers: Headers): boolean => {
  const origin = headers.get('origin');
  if (origin === null || origin === 'null') return headers.get('sec-fetch-site') === 'same-origin';
  const sent = originOf(origin);
  return sent !== null && isOurs(sent, headers);
};
