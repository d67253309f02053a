import 'server-only';
import { randomBytes } from 'node:crypto';
import { digest } from '@/lib/keyring';

const CODES = 10;
/** 80 bits: 16 letters and digits of base32. */
const CODE_BYTES = 10;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

const makeCode = (): string => {
  let bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`);
  let code = '';
  for (let i = 0; i < CODE_BYTES * 1.6; i++) {
    code += ALPHABET[Number(bits & 31n)];
    bits >>= 5n;
  }
  return code.replace(/(.{4})(?=.)/g, '$1-');
};

/** What of a recovery code is stored. People type capitals, and omit dashes. */
export const recoveryDigest = (userId: string, code: string): string =>
  digest('second-factor', `recovery ${userId} ${code.toLowerCase().replace(/[^a-z2-7]/g, '')}`);

/** New recovery codes, shown once; each replaces the second factor once. */
export const newRecoveryCodes = (): string[] => Array.from({ length: CODES }, makeCode);
