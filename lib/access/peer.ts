import 'server-only';
import { type IncomingMessage, Server } from 'node:http';
import ipaddr from 'ipaddr.js';
import { env } from '@/lib/env';
import { processWide } from '@/lib/process-wide';

/** Set by this process on every request: the address at the other end of the socket. */
export const PEER_HEADER = 'x-keyward-peer';
const UNKNOWN = 'unknown';

/**
 * Next believes a client's X-Forwarded-For and shows no socket. So every request of this process's HTTP servers
 * gets its socket's address in a header of our own, over whatever a client sent under that name.
 */
export const installPeerHeader = processWide('peer-header', () => {
  const emit = Server.prototype.emit as (event: string | symbol, ...args: unknown[]) => boolean;
  Server.prototype.emit = function (this: Server, event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'request') {
      const request = args[0] as IncomingMessage;
      request.headers[PEER_HEADER] = request.socket.remoteAddress ?? UNKNOWN;
    }
    return emit.call(this, event, ...args);
  };
  return true;
});

/** The canonical form of an address, IPv4 inside IPv6 unwrapped; null when it is none. */
const canonical = (text: string): string | null => {
  const bare = text.trim().replace(/^\[([^\]]+)\](:\d+)?$/, '$1');
  const candidate = /^\d+\.\d+\.\d+\.\d+:\d+$/.test(bare) ? bare.slice(0, bare.indexOf(':')) : bare;
  return ipaddr.isValid(candidate) ? ipaddr.process(candidate).toString() : null;
};

const isTrusted = (address: string, trusted: readonly string[]): boolean => {
  const parsed = ipaddr.parse(address);
  return trusted.some((entry) => {
    const [network, prefix] = entry.split('/');
    const range = ipaddr.process(network!);
    if (range.kind() !== parsed.kind()) return false;
    const longest = range.kind() === 'ipv4' ? 32 : 128;
    return parsed.match(range, prefix === undefined ? longest : Math.min(Number(prefix), longest));
  });
};

/**
 * Walks X-Forwarded-For from the right: every hop a trusted proxy reports is believed, and the first address
 * that is not a trusted proxy is the client. Everything further left is the client's own word.
 */
export const clientBehind = (
  peer: string,
  forwardedFor: string | null,
  trusted: readonly string[],
): string => {
  let client = canonical(peer);
  if (!client) return UNKNOWN;
  const hops = (forwardedFor ?? '').split(',').filter((hop) => hop.trim() !== '');
  while (hops.length > 0 && isTrusted(client, trusted)) {
    const hop = canonical(hops.pop()!);
    if (!hop) break;
    client = hop;
  }
  return client;
};

/** The client's address, for throttling and the audit log; 'unknown' when this process cannot tell. */
export const clientAddress = (headers: Headers): string => {
  const peer = installPeerHeader.made() ? headers.get(PEER_HEADER) : null;
  return peer ? clientBehind(peer, headers.get('x-forwarded-for'), env().trustedProxies) : UNKNOWN;
};

/** The client's address, or null when this process cannot tell. */
export const knownAddress = (headers: Headers): string | null => {
  const address = clientAddress(headers);
  return address === UNKNOWN ? null : address;
};
