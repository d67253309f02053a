import 'server-only';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Reading = { ok: true; ip: string } | { ok: false; reason: string };

const no = (reason: string): Reading => ({ ok: false, reason });

/** Why a text that is no address is none, for the mistakes people make. */
const explain = (text: string): string => {
  if (text.trim() === '') return 'It is empty.';
  if (text !== text.trim()) return 'There is space around it.';
  if (text.includes(','))
    return 'It is a chain of addresses, as a sender wrote it: bans are single addresses.';
  if (text.includes('/') && isIP(text.split('/', 1)[0]!) !== 0)
    return 'It is a network: the collector matches single addresses only.';
  if (/^\[.*\](:\d+)?$/.test(text) || (/^[^:]+:\d+$/.test(text) && isIPv4(text.slice(0, text.indexOf(':')))))
    return 'It has a port or brackets: give the address alone.';
  if (text.includes('%')) return 'It has a zone: give the address alone.';
  return 'It is not an IP address.';
};

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

const dotted = (high: string, low: string): string => {
  const bits = Number.parseInt(high, 16) * 0x10000 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.');
};

/**
 * An address as the collector sees it: what Go's `net.IP.String()` prints (RFC 5952; an IPv4-mapped address as IPv4).
 * The collector matches exact text, so no other spelling ever matches.
 */
export const canonicalIp = (text: string): Reading => {
  if (isIPv4(text)) return { ok: true, ip: text };
  if (!isIPv6(text) || text.includes('%')) return no(explain(text));
  // WHATWG's host serialiser is RFC 5952; ipaddr.js 2.5 reads ::1.2.3.4 as an IPv4-mapped address, which it is not.
  const ip = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const mapped = MAPPED.exec(ip);
  return { ok: true, ip: mapped ? dotted(mapped[1]!, mapped[2]!) : ip };
};

/** Whether an address is written as the collector sees it. */
export const isCanonicalIp = (text: string): boolean => {
  const reading = canonicalIp(text);
  return reading.ok && reading.ip === text;
};

/**
 * Why the collector never matches a member of its blacklist; null when it does. `text` null: not UTF-8. It compares the
 * whole X-Forwarded-For, so a chain does match requests that carry exactly this one.
 */
export const whyNeverMatches = (text: string | null): string | null => {
  if (text === null) return 'It is not text.';
  if (isCanonicalIp(text) || (text.includes(',') && text === text.trim())) return null;
  const reading = canonicalIp(text);
  return reading.ok
    ? `It is written differently from what the collector sees: ${reading.ip}.`
    : reading.reason;
};

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

const networkOf = (text: string): Network => {
  const [address, bits] = text.includes('/')
    ? ipaddr.parseCIDR(text)
    : ([ipaddr.parse(text), Number.NaN] as Network);
  const width = Number.isNaN(bits) ? (address.kind() === 'ipv4' ? 32 : 128) : bits;
  // Addresses are compared as the collector sees them: mapped ones as IPv4.
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && width >= 96)
    return [address.toIPv4Address(), width - 96];
  return [address, width];
};

/** RFC 6052 and RFC 8215: an IPv4 address that a NAT64 gateway reaches is in the last 32 bits of these. */
const NAT64 = ['64:ff9b::/96', '64:ff9b:1::/48'].map(
  (text) => ipaddr.parseCIDR(text) as [ipaddr.IPv6, number],
);

/** An address, and the IPv4 address that its NAT64 spelling stands for. */
const meantBy = (ip: string): (ipaddr.IPv4 | ipaddr.IPv6)[] => {
  const address = ipaddr.parse(ip);
  if (!(address instanceof ipaddr.IPv6) || !NAT64.some((network) => address.match(network))) return [address];
  return [address, new ipaddr.IPv4(address.toByteArray().slice(12))];
};

/** Whether a canonical address is one of these addresses or in one of these networks (configuration: protectedIps). */
export const protector = (protectedIps: readonly string[]): ((ip: string) => boolean) => {
  const networks = protectedIps.map(networkOf);
  return (ip) =>
    meantBy(ip).some((address) =>
      networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits)),
    );
};
