import 'server-only';
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';

/**
 * Format of a backup file encrypted with a passphrase:
 *
 *   offset  bytes
 *   0       8   magic `KWENVBK\n`
 *   8       1   version, 1
 *   9       1   log2 of scrypt's N
 *   10      1   scrypt's r
 *   11      1   scrypt's p
 *   12      16  salt
 *   28      12  nonce
 *   40      4   length of the ciphertext, big-endian
 *   44      …   AES-256-GCM ciphertext, the 44 bytes above as additional data
 *   …       16  tag
 *   …       32  SHA-256 of everything before: distinguishes damage from a wrong passphrase
 */
const MAGIC = Buffer.from('KWENVBK\n');
const VERSION = 1;
const HEADER = 44;
const TAG = 16;
const CHECKSUM = 32;

/** 64 MiB and about 0.25 s for each guess (RFC 7914: 128·N·r bytes). */
const COST = { log2n: 16, r: 8, p: 1 };
/** Limit for files to open, which are untrusted: twice that. */
const MAX_MEMORY = 128 * 2 ** 20;
const MIN_LOG2N = 14;
const MAX_PARALLELISM = 4;

export type OpenedFile =
  | { ok: true; plain: Buffer }
  | { ok: false; reason: 'foreign' | 'newer' | 'truncated' | 'altered' | 'passphrase' };

interface Cost {
  log2n: number;
  r: number;
  p: number;
}

const runScrypt = (passphrase: string, salt: Buffer, { log2n, r, p }: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { N: 2 ** log2n, r, p, maxmem: MAX_MEMORY + 2 ** 20 };
    // Operating systems compose the same letters differently, so the passphrase is normalised.
    scrypt(passphrase.normalize('NFC'), salt, 32, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

let last: Promise<unknown> = Promise.resolve();

/** One derivation at a time per process, so concurrent requests need no more memory than one. */
const derive = (passphrase: string, salt: Buffer, cost: Cost): Promise<Buffer> => {
  const key = last.then(() => runScrypt(passphrase, salt, cost));
  last = key.catch(() => undefined);
  return key;
};

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** Encrypts under a passphrase. `cost` is for tests. */
export const sealFile = async (plain: Buffer, passphrase: string, cost: Cost = COST): Promise<Buffer> => {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const length = Buffer.alloc(4);
  length.writeUInt32BE(plain.length);
  const header = Buffer.concat([
    MAGIC,
    Buffer.from([VERSION, cost.log2n, cost.r, cost.p]),
    salt,
    nonce,
    length,
  ]);
  const cipher = createCipheriv('aes-256-gcm', await derive(passphrase, salt, cost), nonce);
  cipher.setAAD(header);
  const body = Buffer.concat([header, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([body, sha256(body)]);
};

/** scrypt parameters from the file; null if out of bounds. */
const costOf = (file: Buffer): Cost | null => {
  const cost = { log2n: file[9]!, r: file[10]!, p: file[11]! };
  const bounded =
    cost.log2n >= MIN_LOG2N && cost.log2n <= 24 && cost.p >= 1 && cost.p <= MAX_PARALLELISM && cost.r >= 1;
  return bounded && 128 * 2 ** cost.log2n * cost.r <= MAX_MEMORY ? cost : null;
};

const decrypt = (file: Buffer, end: number, key: Buffer): Buffer | null => {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, file.subarray(28, 40));
    decipher.setAAD(file.subarray(0, HEADER));
    decipher.setAuthTag(file.subarray(end, end + TAG));
    return Buffer.concat([decipher.update(file.subarray(HEADER, end)), decipher.final()]);
  } catch {
    return null;
  }
};

/** All checks that need no passphrase. */
const inspect = (file: Buffer): { ok: true; cost: Cost; end: number } | (OpenedFile & { ok: false }) => {
  const start = file.subarray(0, MAGIC.length);
  if (!start.equals(MAGIC.subarray(0, start.length)) || start.length === 0)
    return { ok: false, reason: 'foreign' };
  if (file.length > MAGIC.length && file[8]! > VERSION) return { ok: false, reason: 'newer' };
  if (file.length < HEADER + TAG + CHECKSUM) return { ok: false, reason: 'truncated' };
  const end = HEADER + file.readUInt32BE(40);
  const length = end + TAG + CHECKSUM;
  if (file.length < length) return { ok: false, reason: 'truncated' };
  const body = file.subarray(0, end + TAG);
  if (file.length > length || !sha256(body).equals(file.subarray(end + TAG)))
    return { ok: false, reason: 'altered' };
  const cost = costOf(file);
  return cost && file[8] === VERSION ? { ok: true, cost, end } : { ok: false, reason: 'altered' };
};

/**
 * Decrypts a backup file, or returns the reason it cannot. A file altered together with its checksum is reported as a
 * wrong passphrase; it never opens.
 */
export const openFile = async (file: Buffer, passphrase: string): Promise<OpenedFile> => {
  const header = inspect(file);
  if (!header.ok) return header;
  const key = await derive(passphrase, file.subarray(12, 28), header.cost);
  const plain = decrypt(file, header.end, key);
  return plain ? { ok: true, plain } : { ok: false, reason: 'passphrase' };
};
