import 'server-only';
import { lookup as resolveName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isInNetworks } from '@/lib/access/peer';
import { env } from '@/lib/configuration';

/** Why an address is not sent to, without the address, which may be a secret. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
}

/** A cloud's own service for its machines, on an address that looks public. */
const NOT_PUBLIC = ['168.63.129.16'];

/** Global unicast of IPv6; everything else of it is local, a translation or reserved. */
const GLOBAL_IPV6 = '2000::/3';

/** Whether an address belongs to the Internet: none of loopback, private, link-local, shared, mapped or reserved. */
export const isPublic = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || NOT_PUBLIC.includes(parsed.toString())) return false;
  return parsed.kind() === 'ipv4' || isInNetworks(parsed.toString(), [GLOBAL_IPV6]);
};

const isAllowed = (address: string): boolean =>
  ipaddr.isValid(address) && isInNetworks(address, env().alertNetworks);

/** Private addresses only within the configured networks, and plain HTTP only there. */
export const mayReach = (address: string, isHttps: boolean): boolean =>
  isAllowed(address) || (isHttps && isPublic(address));

const REFUSED =
  'The address leads to a private network that KEYWARD_ALERT_ALLOWED_NETWORKS does not list, or is plain http outside of it.';

/** The host of a URL without the brackets of IPv6. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Throws `TargetRefused` for what no webhook may be. A name is checked when it is resolved for the connection. */
export const checkUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TargetRefused('Must be an https:// address.');
  if (url.username || url.password)
    throw new TargetRefused('Must not contain a user name or password: no receiver of webhooks needs them.');
  const isHttps = url.protocol === 'https:';
  const host = hostOf(url);
  if (isIP(host) !== 0 && !mayReach(host, isHttps)) throw new TargetRefused(REFUSED);
  if (!isHttps && env().alertNetworks.length === 0) throw new TargetRefused('Must be an https:// address.');
  return url;
};

/**
 * Resolves names for one request and gives the socket only addresses it may connect to. The socket uses exactly these,
 * so a name that resolves to something else the next time gains nothing.
 */
export const guardedLookup =
  (isHttps: boolean): LookupFunction =>
  (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = found.filter(({ address }) => mayReach(address, isHttps));
      const [first] = addresses;
      if (!first) return callback(new TargetRefused(REFUSED), []);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
