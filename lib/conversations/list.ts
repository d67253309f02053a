import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { definitionsOf } from '@/lib/entities/kinds';
import { decodingBudget } from '@/lib/entities/refs';
import { MAX_ID_LENGTH } from '@/lib/entities/schema';
import { badField } from '@/lib/errors';
import { scanPage } from '@/lib/key-values/scan-page';
import { displayBytes } from '@/lib/keyspace/display';
import type { EntityDefinition, KeySource } from '@/lib/keyspace/entities';
import { idOfParts, partsOf } from '@/lib/keyspace/entity-ids';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import { ttlSeconds } from '@/lib/time';
import { countMembers } from './conversation-members';
import { type ConversationName, matchConversations, nameConversations } from './conversation-names';
import { MergedMessages } from './merged-messages';
import { messagesPerHour } from './message-rate';
import type { ConversationRow, conversationContracts } from './schema';
import { showTexts, withSenders } from './show-messages';
import {
  type Conversation,
  countMessages,
  type NamedConversation,
  openConversations,
  problemOf,
} from './sources';
import { orderSources } from './stored-messages';

type Contract = typeof conversationContracts.list;

/** A conversation and the key by which a scan found it. */
interface Found extends NamedConversation {
  key: Key;
  /** Whether its id can be written. */
  isNamed: boolean;
}

type Sources = ReadonlyMap<string, readonly { entity: EntityDefinition; source: KeySource }[]>;

const NO_CONVERSATIONS = 'This kind has no conversations.';

const conversationKinds = (catalog: Registry, kind: string | undefined): readonly EntityDefinition[] => {
  if (kind === undefined) return catalog.entities.filter(({ conversation }) => conversation);
  const found = definitionsOf(catalog, kind).filter(({ conversation }) => conversation);
  if (found.length === 0) throw badField('kind', NO_CONVERSATIONS);
  return found;
};

/** The kinds of conversations by the family of their keys. */
const sourcesOf = (definitions: readonly EntityDefinition[]): Sources => {
  const found = new Map<string, { entity: EntityDefinition; source: KeySource }[]>();
  for (const entity of definitions)
    for (const source of entity.conversation!.keys)
      found.set(source.family, [...(found.get(source.family) ?? []), { entity, source }]);
  return found;
};

/** The conversation that a key belongs to; null for a key of anything else. */
const conversationOf = (catalog: Registry, sources: Sources, key: Key): Found | null => {
  const { family } = catalog.locate(key);
  const [first] = (family && sources.get(family.id)) ?? [];
  const params = family?.parse(key);
  if (!first || !params) return null;
  const { entity, source } = first;
  const named = Object.entries(source.params).map(([param, part]) => [part, params[param]!] as const);
  const id = idOfParts(entity, Object.fromEntries(named));
  const parts = (id !== null && partsOf(entity, id)) || new Map(named);
  const isNamed = id !== null && id.length <= MAX_ID_LENGTH;
  return { key, entity, id: id ?? named.map(([, value]) => value).join(' '), parts, isNamed };
};

const globOf = (catalog: Registry, sources: Sources): Buffer => {
  const [only, ...others] = sources.keys();
  return Buffer.from(only === undefined || others.length > 0 ? '*' : catalog.mustGet(only).match());
};

/** When the first of the keys expires; null where none does. */
const ttlOf = async ({ reader }: ReadContext, { sources }: Conversation): Promise<number | null> => {
  const keys = sources.filter(({ type }) => type !== 'none').map(({ key }) => key);
  const replies: readonly unknown[] = await reader.readMany(keys.map((key) => ['PTTL', key] as const));
  const seconds = replies.flatMap((reply) => (typeof reply === 'number' ? (ttlSeconds(reply) ?? []) : []));
  return seconds.length > 0 ? Math.min(...seconds) : null;
};

/** Characters of a title, and of an id that cannot be linked. */
const MAX_SHOWN = 200;

const shortened = (text: string): string =>
  text.length > MAX_SHOWN ? displayBytes(Buffer.from(text), MAX_SHOWN) : text;

const readRow = async (
  ctx: ReadContext,
  found: Found,
  conversation: Conversation,
  { id, title, members }: ConversationName & Pick<ConversationRow, 'members'>,
): Promise<ConversationRow> => {
  const { kind, app } = found.entity;
  const { sources } = conversation;
  const linkable = found.isNamed && id === found.id;
  const ordered = await orderSources(ctx, conversation);
  const merged = await MergedMessages.open(ctx, ordered, { chunk: 1, paced: (_key, read) => read() });
  const latest = await merged.next();
  const [perHour, ttl, shown] = await Promise.all([
    messagesPerHour(ctx, ordered),
    ttlOf(ctx, conversation),
    showTexts(ctx, conversation, latest ? [latest] : [], decodingBudget()),
  ]);
  const [message = null] = await withSenders(ctx, conversation, latest ? [latest] : [], shown);
  return {
    kind,
    app,
    id: linkable ? id : shortened(id),
    title: shortened(title),
    linkable,
    members,
    messages: countMessages(sources),
    perHour,
    latest: message,
    ttlSeconds: ttl,
    problem: problemOf(sources),
  };
};

/** A conversation is listed by the first of its keys that exists, so that it is there once. */
const isListedBy = (key: Key, { sources }: Conversation): boolean =>
  sources.find(({ type }) => type !== 'none')?.key.equals(key) ?? false;

const readRows = async (
  ctx: ReadContext,
  found: readonly Found[],
  q: string | undefined,
): Promise<(ConversationRow | null)[]> => {
  const conversations = await openConversations(ctx, found);
  const names = await nameConversations(ctx, found);
  const matches = q ? await matchConversations(ctx, found, names, q) : null;
  const members = await countMembers(ctx, found);
  return Promise.all(
    found.map((one, i) => {
      const isShown = (matches?.[i] ?? true) && isListedBy(one.key, conversations[i]!);
      const facts = { ...names[i]!, members: members[i]! };
      return isShown ? readRow(ctx, one, conversations[i]!, facts) : null;
    }),
  );
};

/** conversations.list: of all kinds or one, page by page as a scan finds their keys. */
export const listConversations: ReadOf<Contract> = async (ctx, { kind, q, cursor, limit }) => {
  const sources = sourcesOf(conversationKinds(ctx.catalog, kind));
  const total = await ctx.reader.size();
  const page = await scanPage<Found, ConversationRow>(ctx.connection, {
    cursor,
    limit,
    glob: globOf(ctx.catalog, sources),
    reads: true,
    select: async (keys) => keys.flatMap((key) => conversationOf(ctx.catalog, sources, key) ?? []),
    read: (found) => readRows(ctx, found, q),
  });
  return { ...page, total };
};
