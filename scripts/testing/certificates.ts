import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Paths of a certificate and its key. */
export interface Pair {
  cert: string;
  key: string;
}

interface Issue {
  /** The file's name by default. */
  name?: string;
  /** Subject alternative names; by default those of this machine's loopback. */
  names?: string;
  /** Whether it ended yesterday. */
  isExpired?: boolean;
}

export interface Authority {
  /** Its certificate, for clients to trust. */
  ca: string;
  issue(options?: Issue): Pair;
}

/** A folder with separate authorities, made by openssl. */
export const certificates = () => {
  const dir = mkdtempSync(join(tmpdir(), 'keyward-tls-'));
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
  let made = 0;
  const newKey = (name: string): string => {
    const key = join(dir, `${name}.key`);
    run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', key);
    return key;
  };
  const authority = (name = `authority${++made}`): Authority => {
    const [ca, caKey] = [join(dir, `${name}.pem`), newKey(name)];
    run('req', '-x509', '-new', '-key', caKey, '-subj', `/CN=${name}`, '-days', '2', '-out', ca);
    const issue = ({ name: file = `cert${++made}`, names, isExpired }: Issue = {}): Pair => {
      const [cert, key, request] = [join(dir, `${file}.pem`), newKey(file), join(dir, `${file}.csr`)];
      const extensions = join(dir, `${file}.ext`);
      writeFileSync(extensions, `subjectAltName=${names ?? 'DNS:localhost,IP:127.0.0.1'}\n`);
      run('req', '-new', '-key', key, '-subj', `/CN=${file}`, '-out', request);
      const signed = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-extfile', extensions];
      run('x509', '-req', '-in', request, ...signed, '-days', isExpired ? '-1' : '2', '-out', cert);
      return { cert, key };
    };
    return { ca, issue };
  };
  return { dir, authority, remove: () => rmSync(dir, { recursive: true, force: true }) };
};
