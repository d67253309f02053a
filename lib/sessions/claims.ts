import 'server-only';
import { parseJsonObject, scalarText } from '@/lib/exact-json';
import { DAY, HOUR, isoOrNull, SECOND, utcText } from '@/lib/time';
import { readable } from './readable';

/** The claims in a session's token: decoded, never verified, so never trusted. Times in epoch ms. */
export interface Claims {
  issuedAt: number | null;
  expiresAt: number | null;
  /** For display. */
  subject: string | null;
  /** The numeric user id in the token, if it has one. */
  userId: string | null;
}

const MAX_PAYLOAD_LENGTH = 8192;

const timeOf = (value: unknown): number | null => {
  const seconds = typeof value === 'string' && /^\d{1,12}(\.\d+)?$/.test(value) ? Number(value) : value;
  const ms = typeof seconds === 'number' ? Math.round(seconds * SECOND) : Number.NaN;
  return isoOrNull(ms) === null ? null : ms;
};

/** The claims of a JWT; null when its payload is not a JSON object, or too large for a session's token. */
export const decodeClaims = (token: Buffer): Claims | null => {
  const parts = token.length > 4 * MAX_PAYLOAD_LENGTH ? [] : token.toString('latin1').split('.');
  const payload = parts.length === 3 ? parts[1]! : '';
  if (payload === '' || payload.length > MAX_PAYLOAD_LENGTH) return null;
  const claims = parseJsonObject(Buffer.from(payload, 'base64url').toString('utf8'));
  if (!claims) return null;
  const subject = scalarText(claims.sub) ?? scalarText(claims.user_id);
  const userId = [scalarText(claims.user_id), subject].find(
    (text) => text !== null && /^\d{1,32}$/.test(text),
  );
  return {
    issuedAt: timeOf(claims.iat),
    expiresAt: timeOf(claims.exp),
    subject: subject === null ? null : readable(subject, 100),
    userId: userId ?? null,
  };
};

/** What Redis stores about the same session; times in epoch ms, `expiresAt` null for never. */
export interface Stored {
  userId: string | null;
  createdAt: number | null;
  expiresAt: number | null;
}

/** A TTL may end after the last year that ISO 8601 can express. */
const endOf = (expiresAt: number): string => {
  return isoOrNull(expiresAt) === null ? 'after the year 9999' : `at ${utcText(expiresAt)}`;
};

/** The differences between a token and Redis, as texts: user, expiry (more than a day), creation (more than an hour). */
export const disagreements = (claims: Claims, stored: Stored): string[] => {
  const differences: string[] = [];
  if (claims.userId !== null && stored.userId !== null && claims.userId !== stored.userId)
    differences.push(`The token is user ${claims.userId}'s, the key user ${stored.userId}'s.`);
  if (claims.expiresAt !== null && stored.expiresAt === null)
    differences.push(`The token expires at ${utcText(claims.expiresAt)}, the session in Redis never.`);
  else if (claims.expiresAt !== null && Math.abs(claims.expiresAt - stored.expiresAt!) > DAY)
    differences.push(
      `The token expires at ${utcText(claims.expiresAt)}, the session in Redis ${endOf(stored.expiresAt!)}.`,
    );
  if (
    claims.issuedAt !== null &&
    stored.createdAt !== null &&
    isoOrNull(stored.createdAt) !== null &&
    Math.abs(claims.issuedAt - stored.createdAt) > HOUR
  )
    differences.push(
      `The token was issued at ${utcText(claims.issuedAt)}, the session created at ${utcText(stored.createdAt)}.`,
    );
  return differences;
};
