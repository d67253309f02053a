import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { isScanCursor, isServerCursor, scanKeys } from '@/lib/redis/scan';
import type { From } from './candidates';
import { readStalePage } from './index-entries';
import { indexMatch, indexUserOf, type SessionKey, sessionKeyOf } from './keys';
import type { SourceChunk } from './match';

const ENTRIES_A_CALL = 100;

/** The SCAN call an index was found by, and within it the user and the index's own cursor to go on from. */
const CURSOR = /^(\d{1,4}:\d{1,20})(?:\.(\d{1,19})\.(\d{1,20}))?$/;

/** Numbers that Redis would not take as a cursor are none. */
export const isStaleCursor = (cursor: string): boolean => {
  const [, call, , within = '0'] = CURSOR.exec(cursor) ?? [];
  return call !== undefined && isScanCursor(call) && isServerCursor(within);
};

const SEPARATOR = 0;

/** A stale entry as one run of bytes: user, a zero, token. */
const elementOf = ({ userId, token }: SessionKey): Buffer =>
  Buffer.concat([Buffer.from(userId!), Buffer.from([SEPARATOR]), token]);

export const parseStale = (ctx: ReadContext, element: Buffer): SessionKey => {
  const at = element.indexOf(SEPARATOR);
  const userId = element.toString('latin1', 0, at);
  const token = element.subarray(at + 1);
  const key = sessionKeyOf(ctx, userId, token);
  return { key, userId, token, wellFormed: ctx.catalog.classify(key).family?.id === 'discours.session' };
};

/**
 * Index entries without session, a page of one index at a time. Indexes of one SCAN call are gone through in the
 * order of their users, so that a cursor can name the place inside the call.
 */
export async function* scanStale(ctx: ReadContext, from: From): AsyncGenerator<SourceChunk> {
  const [, at = '0:0', firstUser = '', within = '0'] = CURSOR.exec(from.cursor ?? '') ?? [];
  let call = at;
  let resume = { user: firstUser, cursor: within };
  const options = { ...from, cursor: at, match: indexMatch(ctx) };
  for await (const { keys, cursor, share } of scanKeys(ctx.connection, options)) {
    const found = keys.map((key) => indexUserOf(ctx, key)).filter((user) => user !== null);
    const users = [...new Set(found)].sort().filter((user) => user >= resume.user);
    for (const [i, user] of users.entries()) {
      let next = user === resume.user ? resume.cursor : '0';
      do {
        const page = await readStalePage(ctx, user, next, ENTRIES_A_CALL);
        next = page.next;
        const following = next === '0' ? users[i + 1] : user;
        const place = following === undefined ? cursor : `${call}.${following}.${next}`;
        const elements = page.entries.map(elementOf);
        yield { elements, cursor: place, examined: page.examined, share };
      } while (next !== '0');
    }
    if (users.length === 0) yield { elements: [], cursor, examined: 0, share };
    resume = { user: '', cursor: '0' };
    if (cursor !== null) call = cursor;
  }
}
