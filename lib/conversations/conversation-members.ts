import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { targetOf } from '@/lib/entities/kinds';
import { memberPage, readShapes } from '@/lib/entities/members';
import { refsOf, refsOfIds } from '@/lib/entities/refs';
import type { EntityRef } from '@/lib/entities/schema';
import { identify } from '@/lib/key-values/identity';
import { valueAccess } from '@/lib/key-values/value-access';
import type { EntityDefinition, RelationDefinition } from '@/lib/keyspace/entities';
import { sourceKey } from '@/lib/keyspace/entity-ids';
import type { Key } from '@/lib/redis/commands';
import type { NamedConversation } from './sources';

type Context = Pick<ReadContext, 'actor' | 'catalog' | 'connection' | 'reader' | 'signal'>;

const relationOf = ({ entity }: NamedConversation): RelationDefinition | null => {
  const { relations = [], conversation } = entity;
  return relations.find(({ id }) => id === conversation?.members) ?? null;
};

/** The kind of its members; null where they are words. */
export const memberKindOf = (
  { catalog }: Pick<ReadContext, 'catalog'>,
  conversation: NamedConversation,
): EntityDefinition | null => targetOf(catalog, conversation.entity, relationOf(conversation)?.kind);

/** The participants that the id names; null where they are members of a key, or not known. */
export const partsThatAreMembers = (conversation: NamedConversation): string[] | null => {
  const from = relationOf(conversation)?.from;
  if (!from || !('parts' in from)) return null;
  return [...new Set(from.parts.flatMap((part) => conversation.parts.get(part) ?? []))];
};

/** The keys of which the first that exists has the members. */
export const memberKeys = (
  { catalog }: Pick<ReadContext, 'catalog'>,
  conversation: NamedConversation,
): Key[] => {
  const from = relationOf(conversation)?.from;
  if (!from || !('members' in from)) return [];
  return from.members.flatMap((source) => sourceKey(catalog, source, conversation.parts) ?? []);
};

/** The number of members of conversations, in order; null where the catalog does not say who they are. */
export const countMembers = async (
  ctx: Context,
  conversations: readonly NamedConversation[],
): Promise<(number | null)[]> => {
  const keys = conversations.map((one) => memberKeys(ctx, one));
  const shapes = (await readShapes(ctx, keys.flat())).values();
  return conversations.map((one, i) => {
    const own = keys[i]!.map(() => shapes.next().value!);
    const parts = partsThatAreMembers(one);
    if (parts || own.length === 0) return parts?.length ?? null;
    const stored = own.find(({ type }) => type !== 'none');
    return stored ? (stored.fault ? null : stored.count) : 0;
  });
};

/** The first members of a conversation. */
export const readMembers = async (
  ctx: Context,
  conversation: NamedConversation,
  limit: number,
): Promise<EntityRef[]> => {
  const kind = memberKindOf(ctx, conversation);
  const parts = partsThatAreMembers(conversation);
  if (parts) return refsOfIds(ctx, kind, parts);
  const keys = memberKeys(ctx, conversation);
  const shapes = await readShapes(ctx, keys);
  const first = shapes.findIndex(({ type, fault }) => type !== 'none' && !fault);
  const key = keys[first];
  if (!key) return [];
  const [identity] = await identify(ctx, [key]);
  const { members } = await memberPage(ctx, key, shapes[first]!.type, { limit });
  const elements = members.map(({ score, ...cut }) => ({ cut, score }));
  return refsOf(ctx, kind, elements, { access: valueAccess(ctx, identity!), owner: null });
};
