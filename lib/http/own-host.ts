import 'server-only';
import type { IncomingMessage } from 'node:http';
import type { Env } from '@/lib/configuration';

const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Parses a Host header, without a default port; null when it is not a valid host. */
const hostOf = (text: string): URL | null => {
  const url = `http://${text.replace(/:(80|443)$/, '')}`;
  return HOST.test(text) && URL.canParse(url) ? new URL(url) : null;
};

/** The Host of a request; null when it is missing, repeated or invalid. */
export const sentHost = ({ headersDistinct }: IncomingMessage): URL | null => {
  const [sent = '', ...more] = headersDistinct.host ?? [];
  return more.length === 0 ? hostOf(sent) : null;
};

/** An address as a Host names it: IPv6 in brackets, IPv4 inside IPv6 unwrapped. */
const nameOf = (address: string): string => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain.includes(':') ? `[${plain}]` : plain;
};

/** True when the console listens on every address and has no public URL, so it cannot know its names. */
export const acceptsAnyHost = ({ hostname, nextAuthUrl }: Env): boolean =>
  EVERY_ADDRESS.has(hostname) && (nextAuthUrl === null || LOOPBACK.has(new URL(nextAuthUrl).hostname));

/**
 * Whether a request names this console: NEXTAUTH_URL's host, the address its connection came to, or loopback with any
 * port (tunnels change it). After DNS rebinding, another site's page sends that site's name and is refused.
 */
export const isOwnHost = (request: IncomingMessage, configured: Env): boolean => {
  const host = sentHost(request);
  if (!host) return false;
  const { nextAuthUrl } = configured;
  if (acceptsAnyHost(configured)) return true;
  const named = nextAuthUrl && new URL(nextAuthUrl);
  // A proxy may omit the port (nginx's $host).
  if (named && host.hostname === named.hostname && (!host.port || host.port === named.port)) return true;
  if (LOOPBACK.has(host.hostname)) return true;
  const { localAddress = '', localPort } = request.socket;
  return host.hostname === nameOf(localAddress) && Number(host.port || 80) === localPort;
};
