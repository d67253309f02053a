import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { keyIdOf } from '@/lib/command/key-ids';
import type { Input } from '@/lib/contract';
import { type Member, memberPage } from '@/lib/entities/members';
import { existsMany } from '@/lib/entities/references';
import { idOf, refsWithMasks } from '@/lib/entities/refs';
import { MAX_ID_LENGTH } from '@/lib/entities/schema';
import { cutOf } from '@/lib/key-values/etag';
import { identify } from '@/lib/key-values/identity';
import { type ValueAccess, valueAccess } from '@/lib/key-values/value-access';
import { cutName, displayKey } from '@/lib/keyspace/display';
import type { EntityDefinition } from '@/lib/keyspace/entities';
import { badCursor } from '@/lib/list-page';
import type { Key } from '@/lib/redis/commands';
import { memberIdOf } from './member-ids';
import { notASet, onlineNow, presenceFamily, userEntity } from './online';
import type { OnlineUser, presenceContracts } from './schema';

/** The set, and what its members name. */
interface Presence {
  key: Key;
  type: 'set' | 'zset';
  entity: EntityDefinition | undefined;
  access: ValueAccess;
}

const shownId = (id: string): string => (id.length <= MAX_ID_LENGTH ? id : cutName(id));

const toItems = async (
  ctx: ReadContext,
  { entity, access }: Presence,
  members: readonly Member[],
): Promise<OnlineUser[]> => {
  const elements = members.map(({ score, ...cut }) => ({ cut, score }));
  const refs = await refsWithMasks(ctx, entity ?? null, elements, { access, owner: null });
  return members.map((member, i) => {
    const { ref, masked } = refs[i]!;
    return { ...ref, id: shownId(ref.id), memberId: memberIdOf(ctx, member, masked) };
  });
};

/** The member with exactly this text: it is found without a scan. */
const findMember = async ({ reader }: ReadContext, { key, type }: Presence, q: string): Promise<Member[]> => {
  const bytes = Buffer.from(q);
  const score = type === 'zset' ? await reader.read(['ZSCORE', key, bytes]) : null;
  const isMember = type === 'zset' ? score !== null : (await reader.read(['SISMEMBER', key, bytes])) === 1;
  return isMember ? [{ ...cutOf(bytes), score: score?.toString('latin1') ?? null }] : [];
};

/** A search examines members for this long; its page may be short. */
const SEARCH_MS = 250;
/** The cursor of a search whose first page has the exact member only. */
const BEGINNING = 'begin';

const search = async (ctx: ReadContext, presence: Presence, { q = '', cursor, limit }: Page) => {
  const deadline = performance.now() + SEARCH_MS;
  const { key, type } = presence;
  const words = q.toLowerCase();
  const exact = Buffer.from(q);
  const items = cursor === undefined ? await toItems(ctx, presence, await findMember(ctx, presence, q)) : [];
  let next: string | null = cursor ?? BEGINNING;
  while (next !== null && items.length < limit && performance.now() < deadline) {
    const at: string | undefined = next === BEGINNING ? undefined : next;
    const page = await memberPage(ctx, key, type, { cursor: at, limit: limit - items.length });
    // The first page has it already.
    const others = page.members.filter(({ bytes }) => !bytes.equals(exact));
    const found = await toItems(ctx, presence, others);
    items.push(...found.filter((item) => `${item.id}\n${item.title ?? ''}`.toLowerCase().includes(words)));
    next = page.next;
  }
  return { items, nextCursor: next };
};

type Page = Input<typeof presenceContracts.get>;

const readPage = async (ctx: ReadContext, presence: Presence, page: Page) => {
  if (page.q) return search(ctx, presence, page);
  const { members, next } = await memberPage(ctx, presence.key, presence.type, page);
  return { items: await toItems(ctx, presence, members), nextCursor: next };
};

/** Beyond this many the profiles are not counted. */
const MAX_CHECKED = 5000;
const CHECK_CHUNK = 1000;

/** Members whose profile is not stored. Null where the catalog does not say what they name, or one cannot be read. */
const countWithoutProfile = async (ctx: ReadContext, { key, type, entity }: Presence) => {
  if (!entity) return null;
  let without = 0;
  let cursor: string | undefined;
  for (let checked = 0; checked <= MAX_CHECKED; ) {
    const { members, next } = await memberPage(ctx, key, type, { cursor, limit: CHECK_CHUNK });
    // A longer member is not read completely: it may be an id or not.
    const ids = members.map((member) => idOf(entity, member)).filter((id) => id !== undefined);
    const exist = await existsMany(
      ctx,
      entity,
      ids.filter((id) => id !== null),
    );
    if (exist.includes(null)) return null;
    without += exist.filter((exists) => !exists).length + ids.filter((id) => id === null).length;
    if (next === null) return without;
    checked += members.length;
    cursor = next;
  }
  return null;
};

const CURSOR = /^(begin$|set\.|zset\.)/;

/** presence.get */
export const readPresence: ReadOf<typeof presenceContracts.get> = async (ctx, page) => {
  const family = presenceFamily(ctx);
  if (page.cursor !== undefined && !CURSOR.test(page.cursor)) throw badCursor();
  const key = family.key();
  const online = await onlineNow(ctx, family);
  const base = { online, key: displayKey(key, ctx.catalog), keyId: keyIdOf(ctx, key) };
  const type = await ctx.reader.read(['TYPE', key]);
  if (type === 'none') return { items: [], nextCursor: null, withoutProfile: 0, ...base };
  if (type !== 'set' && type !== 'zset') throw notASet(ctx, key);
  const [identity] = await identify(ctx, [key]);
  const presence = {
    key,
    type,
    entity: userEntity(ctx, family),
    access: valueAccess(ctx, identity!),
  } as const;
  const isCounted = page.cursor === undefined && online <= MAX_CHECKED;
  const { items, nextCursor } = await readPage(ctx, presence, page);
  const withoutProfile = isCounted ? await countWithoutProfile(ctx, presence) : null;
  return { items, nextCursor, withoutProfile, ...base };
};
