import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeJwt } from '@/scripts/testing/sessions';
import { decodeClaims, disagreements } from './claims';

const AT = 1_700_000_000;
const ms = AT * 1000;
const DAY = 86_400_000;

it('decodes times, subject and user, in the forms met', () => {
  expect(decodeClaims(Buffer.from(makeJwt({ user_id: 7, iat: AT, exp: AT + 1 })))).toEqual({
    issuedAt: ms,
    expiresAt: ms + 1000,
    subject: '7',
    userId: '7',
  });
  expect(decodeClaims(Buffer.from(makeJwt({ sub: 'alice', user_id: '7', iat: `${AT}.5` })))).toEqual({
    issuedAt: ms + 500,
    expiresAt: null,
    subject: 'alice',
    userId: '7',
  });
  expect(decodeClaims(Buffer.from(makeJwt({ sub: '8', iat: 1e300, exp: {} })))).toEqual({
    issuedAt: null,
    expiresAt: null,
    subject: '8',
    userId: '8',
  });
});

it('has the digits of a user id beyond 2^53', () => {
  for (const text of ['1189723456789012481', '"1189723456789012481"']) {
    const payload = Buffer.from(`{"user_id":${text}}`).toString('base64url');
    const claims = decodeClaims(Buffer.from(`e30.${payload}.x`))!;
    expect(claims).toMatchObject({ userId: '1189723456789012481', subject: '1189723456789012481' });
  }
});

it('gives null for what is no JWT, and throws for nothing', () => {
  const large = `a.${Buffer.from(JSON.stringify({ a: 'x'.repeat(9000) })).toString('base64url')}.b`;
  for (const token of ['', 'a.b.c', 'a.b', `a.${Buffer.from('[1]').toString('base64url')}.c`, large])
    expect(decodeClaims(Buffer.from(token))).toBeNull();
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void decodeClaims(Buffer.from(bytes))));
  fc.assert(fc.property(fc.jsonValue(), (value) => void decodeClaims(Buffer.from(makeJwt(value as object)))));
});

it('finds where token and Redis disagree', () => {
  const claims = { issuedAt: ms, expiresAt: ms + 30 * DAY, subject: '7', userId: '7' };
  const stored = { userId: '7', createdAt: ms + 3000, expiresAt: ms + 30 * DAY + 5000 };
  expect(disagreements(claims, stored)).toEqual([]);
  expect(disagreements(claims, { ...stored, userId: '8' })[0]).toContain('user 7');
  expect(disagreements(claims, { ...stored, expiresAt: null })[0]).toContain('never');
  expect(disagreements(claims, { ...stored, expiresAt: ms + 32 * DAY })).toHaveLength(1);
  expect(disagreements(claims, { ...stored, createdAt: ms + 2 * 3_600_000 })).toHaveLength(1);
  const nothing = { issuedAt: null, expiresAt: null, subject: null, userId: null };
  expect(disagreements(nothing, { ...stored, expiresAt: null })).toEqual([]);
});
