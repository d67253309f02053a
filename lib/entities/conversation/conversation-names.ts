import 'server-only';
import type { EntityDefinition } from '@/lib/catalog/entities';
import type { ReadContext } from '@/lib/command/context';
import { containsMany } from '../contains';
import { readRefs } from '../references';
import { memberKeys, memberKindOf, partsThatAreMembers } from './conversation-members';
import type { NamedConversation } from './sources';

type Context = Pick<ReadContext, 'actor' | 'catalog' | 'connection' | 'reader'>;

const titlesOf = async (
  ctx: Context,
  idsByKind: ReadonlyMap<EntityDefinition, ReadonlySet<string>>,
): Promise<Map<EntityDefinition, Map<string, string>>> => {
  const titles = new Map<EntityDefinition, Map<string, string>>();
  for (const [kind, wanted] of idsByKind) {
    const ids = [...wanted];
    const refs = await readRefs(ctx, kind, ids);
    titles.set(
      kind,
      new Map(ids.flatMap((id, i) => (refs[i]!.title ? [[id, refs[i]!.title] as const] : []))),
    );
  }
  return titles;
};

/** What people call conversations, in order: their two participants, or the second part of the id. */
export const titlesOfConversations = async (
  ctx: Context,
  conversations: readonly NamedConversation[],
): Promise<string[]> => {
  const idsByKind = new Map<EntityDefinition, Set<string>>();
  const named = conversations.map((one) => ({
    one,
    kind: memberKindOf(ctx, one),
    participants: partsThatAreMembers(one),
  }));
  for (const { kind, participants } of named) {
    if (!kind || !participants) continue;
    const ids = idsByKind.get(kind) ?? new Set();
    for (const id of participants) ids.add(id);
    idsByKind.set(kind, ids);
  }
  const titles = await titlesOf(ctx, idsByKind);
  return named.map(({ one: { entity, parts, id }, kind, participants }) => {
    if (participants)
      return participants.map((each) => (kind && titles.get(kind)?.get(each)) || each).join(' · ');
    return (entity.pair && parts.get(entity.pair.names[1])) ?? id;
  });
};

/** Whether conversations have this text in id or title, or exactly this member, in order. */
export const matchConversations = async (
  ctx: Context,
  conversations: readonly NamedConversation[],
  titles: readonly string[],
  q: string,
): Promise<boolean[]> => {
  const needle = q.toLowerCase();
  const pairs = conversations.flatMap((one, i) => memberKeys(ctx, one).map((key) => ({ key, member: q, i })));
  const contained = await containsMany(ctx, pairs);
  const withMember = new Set(pairs.flatMap(({ i }, at) => (contained[at] === 'yes' ? [i] : [])));
  return conversations.map(
    ({ id }, i) =>
      id.toLowerCase().includes(needle) || titles[i]!.toLowerCase().includes(needle) || withMember.has(i),
  );
};
