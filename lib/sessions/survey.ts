import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { type ScanOptions, scanKeys } from '@/lib/redis/scan';
import { readFacts } from './facts';
import { readStalePage } from './index-entries';
import { indexUserOf, type LegacyKey, parseLegacyKey, parseSessionKey, type SessionKey } from './keys';
import type { SessionState } from './schema';
import {
  type OauthKey,
  parseOauthKey,
  parseStateKey,
  parseVerificationKey,
  type VerificationKey,
} from './tokens/keys';
import { type SessionFacts, statesOf } from './view';

/** A session with what is known of it. */
export interface Surveyed {
  key: SessionKey;
  facts: SessionFacts;
  states: SessionState[];
}

/** What one chunk of a walk through the whole keyspace has of sessions and tokens. */
export interface SurveyChunk {
  /** Keys of any kind in this chunk. */
  examined: number;
  sessions: Surveyed[];
  legacy: LegacyKey[];
  /** Users whose index is in this chunk. */
  indexes: string[];
  oauth: OauthKey[];
  verifications: VerificationKey[];
  oauthStates: number;
}

const sort = (ctx: ReadContext, keys: readonly Key[]): SurveyChunk & { found: SessionKey[] } => {
  const chunk = {
    ...{ examined: keys.length, sessions: [], oauthStates: 0 },
    ...{ found: [] as SessionKey[], legacy: [] as LegacyKey[], indexes: [] as string[] },
    ...{ oauth: [] as OauthKey[], verifications: [] as VerificationKey[] },
  };
  for (const key of keys) {
    const session = parseSessionKey(ctx, key);
    const legacy = session ? null : parseLegacyKey(ctx, key);
    const index = session || legacy ? null : indexUserOf(ctx, key);
    if (session) chunk.found.push(session);
    else if (legacy) chunk.legacy.push(legacy);
    else if (index !== null) chunk.indexes.push(index);
    else sortToken(ctx, key, chunk);
  }
  return chunk;
};

const sortToken = (
  ctx: ReadContext,
  key: Key,
  chunk: Pick<SurveyChunk, 'oauth' | 'verifications' | 'oauthStates'>,
): void => {
  const oauth = parseOauthKey(ctx, key);
  const verification = oauth ? null : parseVerificationKey(ctx, key);
  if (oauth) chunk.oauth.push(oauth);
  else if (verification) chunk.verifications.push(verification);
  else if (parseStateKey(ctx, key)) chunk.oauthStates += 1;
};

/** One walk over the whole keyspace under the connection's budget, with the states of every session. */
export async function* survey(
  ctx: ReadContext,
  options: Pick<ScanOptions, 'signal' | 'budget'> = {},
): AsyncGenerator<SurveyChunk> {
  const isNew = distinct();
  for await (const { keys } of scanKeys(ctx.connection, options)) {
    const { found, ...chunk } = sort(ctx, keys.filter(isNew));
    const facts = await readFacts(ctx, found);
    const sessions = found.flatMap((key, i): Surveyed[] => {
      const known = facts[i];
      return known ? [{ key, facts: known, states: statesOf(key, known) }] : [];
    });
    yield { ...chunk, sessions };
  }
}

const INDEXES_AT_ONCE = 50;
const ENTRIES_A_CALL = 200;

/** The stale entries of some users' indexes, a page at a time, each once. */
export async function* staleEntriesOf(
  ctx: ReadContext,
  users: readonly string[],
): AsyncGenerator<SessionKey[]> {
  let open = users.map((userId) => ({ userId, cursor: '0', isNew: distinct() }));
  while (open.length > 0) {
    const some = open.slice(0, INDEXES_AT_ONCE);
    const pages = await Promise.all(
      some.map(({ userId, cursor }) => readStalePage(ctx, userId, cursor, ENTRIES_A_CALL)),
    );
    for (const [i, { isNew }] of some.entries()) {
      const entries = pages[i]!.entries.filter(({ token }) => isNew(token));
      if (entries.length > 0) yield entries;
    }
    const unfinished = some
      .map((index, i) => ({ ...index, cursor: pages[i]!.next }))
      .filter(({ cursor }) => cursor !== '0');
    open = [...unfinished, ...open.slice(INDEXES_AT_ONCE)];
  }
}
