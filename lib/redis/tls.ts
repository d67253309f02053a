import 'server-only';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';
import type { TlsSettings } from '@/lib/configuration-tls';
import { processWide } from '@/lib/process-wide';

/** What was last read from files, by their paths. */
const contexts = processWide('tls', () => new Map<string, { state: string; context: SecureContext }>());

/** Changes whenever a file is rewritten. */
const stateOf = (paths: readonly string[]): string =>
  paths.map((path) => (({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`)(statSync(path))).join(', ');

/**
 * Reads the files if they have changed. While a file is being written or cannot be read, the last good contents are
 * used: they may still be valid, and otherwise the handshake reports why not.
 */
const contextOf = ({ ca, cert, key }: TlsSettings): SecureContext => {
  const paths = [ca, cert, key].filter((path) => path !== undefined);
  const name = JSON.stringify([ca, cert, key]);
  const read = (path: string | undefined) => (path === undefined ? undefined : readFileSync(path));
  const last = contexts().get(name);
  try {
    const state = stateOf(paths);
    if (last?.state === state) return last.context;
    const context = createSecureContext({ ca: read(ca), cert: read(cert), key: read(key) });
    contexts().set(name, { state, context });
    return context;
  } catch {
    // The files were checked at the start. An error here would end the client for ever.
    return last?.context ?? createSecureContext();
  }
};

/** The name by which a server chooses its certificate: its host without the trailing dot, never an address (RFC 6066). */
export const servernameOf = (host: string): { servername?: string } =>
  isIP(host) ? {} : { servername: host.replace(/\.$/, '') };

/**
 * The `tls` option of ioredis for a server or a Sentinel. ioredis copies it at each connection, so a renewed
 * certificate needs no restart. `host` is null where a connector finds it.
 */
export const tlsOf = (settings: TlsSettings, host: string | null): ConnectionOptions => {
  const { ca, cert, servername } = settings;
  const name = servername ? { servername } : host === null ? {} : servernameOf(host);
  if (!ca && !cert) return name;
  return {
    ...name,
    get secureContext() {
      return contextOf(settings);
    },
  };
};
