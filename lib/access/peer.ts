import 'server-only';
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { env } from '@/lib/configuration';
import { processWide } from '@/lib/process-wide';

/** Set by this process on every request: the address at the other end of the socket. */
export const PEER_HEADER = 'x-keyward-peer';
const UNKNOWN = 'unknown';

/**
 * Next trusts a client's X-Forwarded-For and does not expose the socket. So `guardIncoming` calls this for every request
 * before Next sees it: the socket's address replaces whatever the client sent.
 */
export const peerHeader = processWide('peer-header', () => (request: IncomingMessage): void => {
  request.headers[PEER_HEADER] = request.socket.remoteAddress ?? UNKNOWN;
});

/** The canonical form of an address, with IPv4 unwrapped from IPv6; null for an invalid one. */
const canonical = (text: string): string | null => {
  const bare = text.trim().replace(/^\[([^\]]+)\](:\d+)?$/, '$1');
  const candidate = /^\d+\.\d+\.\d+\.\d+:\d+$/.test(bare) ? bare.slice(0, bare.indexOf(':')) : bare;
  return ipaddr.isValid(candidate) ? ipaddr.process(candidate).toString() : null;
};

/** Whether a valid address is in one of these addresses or networks; IPv4 within IPv6 counts as IPv4. */
export const isInNetworks = (address: string, networks: readonly string[]): boolean => {
  const parsed = ipaddr.process(address);
  return networks.some((entry) => {
    const [network, prefix] = entry.split('/');
    const range = ipaddr.process(network!);
    if (range.kind() !== parsed.kind()) return false;
    const longest = range.kind() === 'ipv4' ? 32 : 128;
    return parsed.match(range, prefix === undefined ? longest : Math.min(Number(prefix), longest));
  });
};

/**
 * Walks X-Forwarded-For from the right, through hops reported by trusted proxies. The first address that is not a
 * trusted proxy is the client; everything left of it could be forged.
 */
export const clientBehind = (
  peer: string,
  forwardedFor: string | null,
  trusted: readonly string[],
): string => {
  let client = canonical(peer);
  if (!client) return UNKNOWN;
  const hops = (forwardedFor ?? '').split(',').filter((hop) => hop.trim() !== '');
  while (hops.length > 0 && isInNetworks(client, trusted)) {
    const hop = canonical(hops.pop()!);
    if (!hop) break;
    client = hop;
  }
  return client;
};

/** Whether a trusted proxy sent a request itself: what X-Forwarded-For says does not matter. */
export const isFromTrustedProxy = (headers: Headers): boolean => {
  const peer = peerHeader.made() ? canonical(headers.get(PEER_HEADER) ?? '') : null;
  return peer !== null && isInNetworks(peer, env().trustedProxies);
};

/** The client's address, for throttling and the audit log; 'unknown' where it cannot be determined. */
export const clientAddress = (headers: Headers): string => {
  const peer = peerHeader.made() ? headers.get(PEER_HEADER) : null;
  return peer ? clientBehind(peer, headers.get('x-forwarded-for'), env().trustedProxies) : UNKNOWN;
};

/** The client's address; null where it cannot be determined. */
export const knownAddress = (headers: Headers): string | null => {
  const address = clientAddress(headers);
  return address === UNKNOWN ? null : address;
};
