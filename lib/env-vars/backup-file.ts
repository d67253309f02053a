import 'server-only';
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';

/**
 * A backup file under a passphrase:
 *
 *   offset  bytes
 *   0       8   magic `KWENVBK\n`
 *   8       1   version, 1
 *   9       1   log2 of scrypt's N
 *   10      1   scrypt's r
 *   11      1   scrypt's p
 *   12      16  salt
 *   28      12  nonce
 *   40      4   length of what is encrypted, big-endian
 *   44      …   AES-256-GCM ciphertext, the 44 bytes above as additional data
 *   …       16  tag
 *   …       32  SHA-256 of all before: tells damage from a wrong passphrase
 */
const MAGIC = Buffer.from('KWENVBK\n');
const VERSION = 1;
const HEADER = 44;
const TAG = 16;
const CHECKSUM = 32;

/** 64 MiB and about a quarter of a second for each guess (RFC 7914: 128·N·r bytes). */
const COST = { log2n: 16, r: 8, p: 1 };
/** A file may ask for no more than twice that: it may be anybody's. */
const MAX_MEMORY = 128 * 2 ** 20;
const MIN_LOG2N = 14;
const MAX_PARALLELISM = 4;

export type OpenedFile =
  | { ok: true; plain: Buffer }
  | { ok: false; why: 'foreign' | 'newer' | 'cut-short' | 'altered' | 'passphrase' };

interface Cost {
  log2n: number;
  r: number;
  p: number;
}

const deriveNow = (passphrase: string, salt: Buffer, { log2n, r, p }: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { N: 2 ** log2n, r, p, maxmem: MAX_MEMORY + 2 ** 20 };
    // The same letters typed on two systems may be composed differently.
    scrypt(passphrase.normalize('NFC'), salt, 32, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

let last: Promise<unknown> = Promise.resolve();

/** One at a time in a process, so that many requests together take no more memory than one. */
const derive = (passphrase: string, salt: Buffer, cost: Cost): Promise<Buffer> => {
  const key = last.then(() => deriveNow(passphrase, salt, cost));
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

/** scrypt's parameters as the file asks for them; null where they are none we would ever have written. */
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

/** Everything that can be told without the passphrase. */
const inspect = (file: Buffer): { ok: true; cost: Cost; end: number } | (OpenedFile & { ok: false }) => {
  const start = file.subarray(0, MAGIC.length);
  if (!start.equals(MAGIC.subarray(0, start.length)) || start.length === 0)
    return { ok: false, why: 'foreign' };
  if (file.length > MAGIC.length && file[8]! > VERSION) return { ok: false, why: 'newer' };
  if (file.length < HEADER + TAG + CHECKSUM) return { ok: false, why: 'cut-short' };
  const end = HEADER + file.readUInt32BE(40);
  const whole = end + TAG + CHECKSUM;
  if (file.length < whole) return { ok: false, why: 'cut-short' };
  const body = file.subarray(0, end + TAG);
  if (file.length > whole || !sha256(body).equals(file.subarray(end + TAG)))
    return { ok: false, why: 'altered' };
  const cost = costOf(file);
  return cost && file[8] === VERSION ? { ok: true, cost, end } : { ok: false, why: 'altered' };
};

/**
 * Decrypts a backup file, or says what is wrong with it. The parameters of scrypt are bounded before it runs. A file
 * somebody altered together with its checksum reads as a wrong passphrase; it opens for nobody.
 */
export const openFile = async (file: Buffer, passphrase: string): Promise<OpenedFile> => {
  const seen = inspect(file);
  if (!seen.ok) return seen;
  const key = await derive(passphrase, file.subarray(12, 28), seen.cost);
  const plain = decrypt(file, seen.end, key);
  return plain ? { ok: true, plain } : { ok: false, why: 'passphrase' };
};
