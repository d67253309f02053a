import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { expecting, mapping, orNull, readableIn } from './configuration-values';

/** Whether `read` accepts the contents of a readable file; an unreadable file is reported separately. */
const accepts = (path: string, read: (content: Buffer) => unknown): boolean => {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch {
    return true;
  }
  try {
    read(content);
    return true;
  } catch {
    return false;
  }
};

const certificate = (path: string): boolean => accepts(path, (content) => new X509Certificate(content));
const privateKey = (path: string): boolean => accepts(path, createPrivateKey);

const servername = expecting(
  'the name of a host, not an address',
  z
    .string()
    .regex(/^[\w-]+(\.[\w-]+)*$/)
    .refine((name) => isIP(name) === 0),
);

/**
 * The TLS settings, with absolute paths: `{}` is TLS with the system's authorities. Files are checked here, so that an
 * invalid one prevents the start, and are read again at each connection (`lib/redis/tls.ts`).
 */
export const tlsIn = (folder: string) => {
  const file = (expected: string, isValid: (path: string) => boolean) =>
    readableIn(folder).refine(isValid, expected).optional();
  return orNull(
    mapping({
      ca: file('a PEM file of certificates', certificate),
      cert: file('a PEM certificate', certificate),
      key: file('a private key in PEM without a passphrase', privateKey),
      /** The name by which servers choose their certificates, and that these must contain; the host's by default. */
      servername: servername.optional(),
    }).superRefine(({ cert, key }, ctx) => {
      const add = (path: string[], found: string, message: string) =>
        ctx.addIssue({ code: 'custom', path, params: { found }, message });
      if ((cert === undefined) !== (key === undefined))
        return add([], 'one of cert and key', 'both or neither');
      if (!cert || !key || !certificate(cert) || !privateKey(key)) return;
      if (!accepts(key, (content) => createSecureContext({ cert: readFileSync(cert), key: content })))
        add(['key'], 'the key of another certificate', 'the key of cert');
    }),
  );
};
export type TlsSettings = NonNullable<z.output<ReturnType<typeof tlsIn>>>;
