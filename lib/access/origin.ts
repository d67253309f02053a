import 'server-only';
import { env } from '@/lib/env';

const originOf = (text: string): string | null => (URL.canParse(text) ? new URL(text).origin : null);

/** The origin people open the console by: NEXTAUTH_URL's, or null when the request itself has to say. */
const configuredOrigin = (): string | null => {
  const url = env().nextAuthUrl;
  return url ? originOf(url) : null;
};

/** The origin this request was sent to, from its Host header: a browser sets that, a page cannot. */
export const requestOrigin = (headers: Headers, url: string): string => {
  const configured = configuredOrigin();
  const host = headers.get('host');
  const here = new URL(url);
  if (configured && (!host || new URL(configured).host === host)) return configured;
  return (host && originOf(`${here.protocol}//${host}`)) || here.origin;
};

/**
 * Whether the console's own pages sent this request (Origin; Sec-Fetch-Site where a browser leaves Origin out,
 * or says null, as it does for forms under our no-referrer policy). A request that says neither is refused: it
 * comes from no page.
 */
export const isOwnOrigin = (headers: Headers, url: string): boolean => {
  const origin = headers.get('origin');
  if (origin === null || origin === 'null') return headers.get('sec-fetch-site') === 'same-origin';
  const sent = originOf(origin);
  if (!sent || sent === 'null') return false;
  return sent === configuredOrigin() || new URL(sent).host === new URL(requestOrigin(headers, url)).host;
};
