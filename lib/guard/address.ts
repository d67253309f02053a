import 'server-only';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type AddressFault, addressFault } from './address-faults';

export type Reading = { ok: true; ip: string } | { ok: false; reason: string };

const no = (reason: string): Reading => ({ ok: false, reason });

/** Why a text is not an address, for common mistakes. */
const explain = (text: string): AddressFault => {
  if (text.trim() === '') return 'empty';
  if (text !== text.trim()) return 'space';
  if (text.includes(',')) return 'chain';
  if (text.includes('/') && isIP(text.split('/', 1)[0]!) !== 0) return 'network';
  if (/^\[.*\](:\d+)?$/.test(text) || (/^[^:]+:\d+$/.test(text) && isIPv4(text.slice(0, text.indexOf(':')))))
    return 'port';
  if (text.includes('%')) return 'zone';
  return 'notAnAddress';
};

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

const dotted = (high: string, low: string): string => {
  const bits = Number.parseInt(high, 16) * 0x10000 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.');
};

/**
 * An address as Go's `net.IP.String()` prints it (RFC 5952; an IPv4-mapped address as IPv4). The collector compares
 * exact text, so no other spelling ever matches.
 */
export const canonicalIp = (text: string): Reading => {
  if (isIPv4(text)) return { ok: true, ip: text };
  if (!isIPv6(text) || text.includes('%')) return no(addressFault(explain(text)));
  // URL serialises hosts by RFC 5952. ipaddr.js 2.5 cannot be used here: it reads ::1.2.3.4 as an IPv4-mapped address.
  const ip = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const mapped = MAPPED.exec(ip);
  return { ok: true, ip: mapped ? dotted(mapped[1]!, mapped[2]!) : ip };
};

/** Whether an address is written as the collector writes it. */
export const isCanonicalIp = (text: string): boolean => {
  const reading = canonicalIp(text);
  return reading.ok && reading.ip === text;
};

/**
 * Why the collector never matches this member of the blacklist; null when it can. `text` is null if it is not UTF-8.
 * The collector compares the full X-Forwarded-For, so a chain matches requests that carry exactly this chain.
 */
export const whyNeverMatches = (text: string | null): string | null => {
  if (text === null) return addressFault('notText');
  if (isCanonicalIp(text) || (text.includes(',') && text === text.trim())) return null;
  const reading = canonicalIp(text);
  return reading.ok ? addressFault('spelling', reading.ip) : reading.reason;
};

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

const networkOf = (text: string): Network => {
  const [address, bits] = text.includes('/')
    ? ipaddr.parseCIDR(text)
    : ([ipaddr.parse(text), Number.NaN] as Network);
  const width = Number.isNaN(bits) ? (address.kind() === 'ipv4' ? 32 : 128) : bits;
  // Compared as the collector writes them: IPv4-mapped addresses as IPv4.
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && width >= 96)
    return [address.toIPv4Address(), width - 96];
  return [address, width];
};

/** NAT64 networks (RFC 6052, RFC 8215): their last 32 bits are an IPv4 address. */
const NAT64 = ['64:ff9b::/96', '64:ff9b:1::/48'].map(
  (text) => ipaddr.parseCIDR(text) as [ipaddr.IPv6, number],
);

/** An address, and the IPv4 address inside it if it is a NAT64 address. */
const spellingsOfAddress = (ip: string): (ipaddr.IPv4 | ipaddr.IPv6)[] => {
  const address = ipaddr.parse(ip);
  if (!(address instanceof ipaddr.IPv6) || !NAT64.some((network) => address.match(network))) return [address];
  return [address, new ipaddr.IPv4(address.toByteArray().slice(12))];
};

/** Whether a canonical address is protected: one of these addresses, or in one of these networks (`protectedIps`). */
export const protector = (protectedIps: readonly string[]): ((ip: string) => boolean) => {
  const networks = protectedIps.map(networkOf);
  return (ip) =>
    spellingsOfAddress(ip).some((address) =>
      networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits)),
    );
};
