import { CONSOLE_PREFIX } from './apps/console-own';
import { bytesEqualAt, encodeText } from './bytes';
import type { Located } from './classify';
import type { Registry } from './registry';

/** The app of the console's own families. */
export const OWN_APP = 'console';
export const OWN_PREFIX = encodeText(CONSOLE_PREFIX);

export const hasOwnPrefix = (key: Uint8Array): boolean =>
  key.length >= OWN_PREFIX.length && bytesEqualAt(key, 0, OWN_PREFIX);

/** The console's own keys, and keys with its prefix. */
export const isOwn = (catalog: Registry, key: Uint8Array): boolean =>
  hasOwnPrefix(key) || catalog.locate(key).family?.app === OWN_APP;

/** Whether a key is a session, token, variable or lock, or unknown and therefore possibly not a cache. */
export const isSensitive = ({ family, malformedOf }: Pick<Located, 'family' | 'malformedOf'>): boolean =>
  (family ?? malformedOf)?.guarded ?? (family ?? malformedOf) === null;

/** Whether an application of the connection has persistent families, which must not be lost. */
export const mustStay = ({ families }: Registry): boolean =>
  families.some(({ app, ttl, type }) => app !== OWN_APP && type !== 'channel' && ttl === 'persistent');
