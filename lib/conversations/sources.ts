import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { elementsAtOnce } from '@/lib/entities/elements-at-once';
import { resolveEntity } from '@/lib/entities/kinds';
import { readShapes } from '@/lib/entities/members';
import { identify, type KeyIdentity } from '@/lib/key-values/identity';
import { type ValueAccess, valueAccess } from '@/lib/key-values/value-access';
import type { ConversationDefinition, EntityDefinition } from '@/lib/keyspace/entities';
import { sourceKey } from '@/lib/keyspace/entity-ids';
import type { Key } from '@/lib/redis/commands';

type Context = Pick<ReadContext, 'actor' | 'catalog' | 'connection' | 'reader' | 'signal'>;

/** One of the keys that may hold messages of a conversation, of whatever type is stored. */
export interface Source {
  /** Its place among the keys of the conversation's definition. */
  index: number;
  key: Key;
  identity: KeyIdentity;
  access: ValueAccess;
  /** The part of the pair that wrote everything in it. */
  sender: string | null;
  /** As stored; `none` where the key does not exist. */
  type: string;
  /** Messages; 0 where the type has none. */
  length: number;
  /** How many of them one call may read. */
  atOnce: number;
  problem: 'wrongType' | 'unreadable' | null;
}

/** A conversation with its keys. */
export interface Conversation {
  entity: EntityDefinition;
  definition: ConversationDefinition;
  id: string;
  parts: ReadonlyMap<string, string>;
  sources: Source[];
}

export type NamedConversation = Omit<Conversation, 'sources' | 'definition'>;

const HOLDS_MESSAGES: ReadonlySet<string> = new Set(['list', 'zset']);

interface Candidate {
  index: number;
  key: Key;
  sender: string | null;
}

const nameOf = (key: Key): string => key.toString('latin1');

/** The keys of a conversation. Both orders of a pair are one key where the parts are the same. */
const candidatesOf = (
  { catalog }: Pick<ReadContext, 'catalog'>,
  { entity, parts }: NamedConversation,
): Candidate[] => {
  const seen = new Set<string>();
  return (entity.conversation?.keys ?? []).flatMap((source, index) => {
    const key = sourceKey(catalog, source, parts);
    if (!key || seen.has(nameOf(key))) return [];
    seen.add(nameOf(key));
    const sender = source.sender === undefined ? null : (parts.get(source.sender) ?? null);
    return [{ index, key, sender }];
  });
};

/** Reads what is stored under the keys of conversations, in order and in a few round trips. */
export const openConversations = async (
  ctx: Context,
  named: readonly NamedConversation[],
): Promise<Conversation[]> => {
  const candidates = named.map((one) => candidatesOf(ctx, one));
  const keys = candidates.flat().map(({ key }) => key);
  const [shapes, identities] = [await readShapes(ctx, keys), await identify(ctx, keys)];
  const lengths = shapes.map(({ type, count }) => (HOLDS_MESSAGES.has(type) ? (count ?? 0) : 0));
  const filled = keys.flatMap((key, i) => (lengths[i]! > 0 ? [{ key, length: lengths[i]! }] : []));
  const counts = (await elementsAtOnce(ctx, filled)).values();
  let at = 0;
  return named.map((one, i) => ({
    ...one,
    definition: one.entity.conversation!,
    sources: candidates[i]!.map((candidate): Source => {
      const [shape, identity, length] = [shapes[at]!, identities[at]!, lengths[at]!];
      at += 1;
      const { type } = shape;
      const holds = HOLDS_MESSAGES.has(type);
      const problem = shape.fault === 'unreadable' ? 'unreadable' : type === 'none' ? null : 'wrongType';
      return {
        ...candidate,
        identity,
        access: valueAccess(ctx, identity),
        type,
        length,
        atOnce: length > 0 ? counts.next().value! : 0,
        problem: holds ? null : problem,
      };
    }),
  }));
};

/**
 * The conversation that a kind and an id name. Throws 400 for a kind that the catalog does not have, and for a text that
 * cannot be an id of it. Of a kind without conversations it has no keys.
 */
export const openConversation = async (ctx: Context, kind: string, id: string): Promise<Conversation> => {
  const named = await resolveEntity(ctx, kind, id);
  const [conversation] = await openConversations(ctx, [named]);
  return { ...conversation!, definition: named.entity.conversation ?? { keys: [] } };
};

/** Messages of all its keys; null where nothing that exists can hold messages. */
export const countMessages = (sources: readonly Source[]): number | null => {
  const isUnknown = sources.some(({ problem }) => problem) && sources.every(({ length }) => length === 0);
  return isUnknown ? null : sources.reduce((sum, { length }) => sum + length, 0);
};

export const problemOf = (sources: readonly Source[]): Source['problem'] =>
  sources.find(({ problem }) => problem)?.problem ?? null;
