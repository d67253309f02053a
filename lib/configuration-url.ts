import { z } from 'zod';
import { decodes, expecting, isHostAndPort } from './configuration-values';

const ESCAPED = /%[\dA-Fa-f]{2}/.source;
const USER = `(?:[^\\s:@/?#%]|${ESCAPED})*`;
const PASSWORD = `(?:[^\\s@/?#%]|${ESCAPED})*`;
/** Stricter than `URL`, which takes the rest of a password after a raw `@`, `/`, `?` or `#` for a host, or drops it. */
const SERVER = new RegExp(
  `^rediss?://(?:${USER}(?::${PASSWORD})?@)?(?:[\\w.-]+|\\[[\\dA-Fa-f:.]+\\])(?::[1-9]\\d*)?(?:/\\d{0,5})?$`,
);
const SOCKET = new RegExp(`^redis\\+unix:///(?:[^\\s?#%]|${ESCAPED})+(?:\\?db=\\d{1,5})?$`);

const isRedisUrl = (value: string): boolean =>
  (SERVER.test(value) || SOCKET.test(value)) && URL.canParse(value) && decodes(value);

const EXPECTED = `redis:// or rediss:// with one host and, if any, a port and the number of the database \
(redis://user:password@host:6379/3), nothing behind it, and in a user name or password @ as %40, / as %2F, ? as %3F, # as %23, \
% as %25, a space as %20; redis+unix:// with the path of a socket and, if any, ?db=3; or host:port. \
Sentinels and clusters have settings of their own`;

const withScheme = (given: string): string => (isHostAndPort(given) ? `redis://${given}` : given);

/** A Redis address as a URL; `host:port`, the error collector's form, becomes `redis://host:port`. */
export const redisUrl = expecting(EXPECTED, z.string().trim().transform(withScheme).refine(isRedisUrl));
