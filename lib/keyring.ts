import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { env } from './configuration';

/**
 * Keys derived from KEYWARD_SECRET_KEY, one per purpose (HKDF-SHA-256), so that a digest for one purpose reveals
 * nothing in another.
 */
type Purpose =
  | 'audit-chain'
  | 'audit-digest'
  | 'audit-webhook'
  | 'etag'
  | 'handle'
  | 'undo'
  | 'job'
  | 'backup'
  | 'throttle'
  | 'device'
  | 'cursor'
  | 'names'
  | 'record'
  | 'provider-session'
  | 'key-id'
  | 'key-id-nonce'
  | 'key-handle'
  | 'analysis'
  | 'alert'
  | 'second-factor'
  | 'approval';

const derived = new Map<string, Buffer>();

const keyFor = (purpose: Purpose): Buffer => {
  const secret = env().secretKey;
  if (!secret) throw new Error('KEYWARD_SECRET_KEY is not set: start the console with `npm start`.');
  const id = `${purpose}:${secret.toString('base64')}`;
  let key = derived.get(id);
  if (!key) {
    key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `keyward/${purpose}`, 32));
    derived.set(id, key);
  }
  return key;
};

/** HMAC-SHA-256 under the purpose's own key; base64url, cut to `length` characters (6 bits each). */
export const digest = (purpose: Purpose, data: string | Uint8Array, length = 43): string =>
  createHmac('sha256', keyFor(purpose)).update(data).digest('base64url').slice(0, length);

export const sameDigest = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** AES-256-GCM: version byte, 12-byte nonce, 16-byte tag, ciphertext. `context` must be the same to open. */
export const seal = (purpose: Purpose, plain: Uint8Array, context: string): Buffer =>
  sealWith(randomBytes(12), purpose, plain, context);

/**
 * Like `seal`, but deterministic, for ids in links. The nonce is an HMAC of the input, so it repeats only with the
 * input; this reveals only whether two inputs are equal.
 */
export const sealSame = (purpose: 'key-id', plain: Uint8Array, context: string): Buffer => {
  const nonce = createHmac('sha256', keyFor(`${purpose}-nonce`)).update(`${context.length}:${context}`);
  return sealWith(nonce.update(plain).digest().subarray(0, 12), purpose, plain, context);
};

const sealWith = (nonce: Buffer, purpose: Purpose, plain: Uint8Array, context: string): Buffer => {
  const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce);
  cipher.setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.from([1]), nonce, cipher.getAuthTag(), body]);
};

/** The plaintext, or null when it was altered, truncated, or sealed under another key or context. */
export const open = (purpose: Purpose, sealed: Buffer, context: string): Buffer | null => {
  if (sealed.length < 29 || sealed[0] !== 1) return null;
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose), sealed.subarray(1, 13));
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(13, 29));
    return Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]);
  } catch {
    return null;
  }
};
