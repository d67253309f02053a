import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { containsMany } from '@/lib/entities/contains';
import { readRefs } from '@/lib/entities/references';
import { showNamePart } from '@/lib/entities/show';
import { identify } from '@/lib/key-values/identity';
import { valueAccess } from '@/lib/key-values/value-access';
import type { EntityDefinition } from '@/lib/keyspace/entities';
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

/** A conversation for display: its name may be a secret, like that of any key. */
export interface ConversationName {
  id: string;
  /** Its two participants, or the second part of the id. */
  title: string;
}

/** What people call conversations, in order. */
export const nameConversations = async (
  ctx: Context,
  conversations: readonly NamedConversation[],
): Promise<ConversationName[]> => {
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
  const shown = (text: string) => showNamePart(ctx.catalog, text);
  return Promise.all(
    named.map(async ({ one: { entity, parts, id }, kind, participants }) => {
      const own = participants?.map((each) => (kind && titles.get(kind)?.get(each)) || shown(each));
      const title = own
        ? (await Promise.all(own)).join(' · ')
        : await shown((entity.pair && parts.get(entity.pair.names[1])) ?? id);
      return { id: await shown(id), title };
    }),
  );
};

/** Whether conversations have this text in id or title as they are shown, or exactly this member, in order. */
export const matchConversations = async (
  ctx: Context,
  conversations: readonly NamedConversation[],
  names: readonly ConversationName[],
  q: string,
): Promise<boolean[]> => {
  const needle = q.toLowerCase();
  const keys = conversations.flatMap((one, i) => memberKeys(ctx, one).map((key) => ({ key, i })));
  const identities = await identify(
    ctx,
    keys.map(({ key }) => key),
  );
  const isShown = (at: number) => !valueAccess(ctx, identities[at]!).hidden;
  const pairs = keys.flatMap(({ key, i }, at) => (isShown(at) ? [{ key, member: q, i }] : []));
  const contained = await containsMany(ctx, pairs);
  const withMember = new Set(pairs.flatMap(({ i }, at) => (contained[at] === 'yes' ? [i] : [])));
  const isIn = (text: string) => text.toLowerCase().includes(needle);
  return names.map(({ id, title }, i) => isIn(id) || isIn(title) || withMember.has(i));
};
