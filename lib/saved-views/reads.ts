import 'server-only';
import { ownerOf } from '@/lib/actor';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { comparePlaces, type PageInput, pageOfRows } from '@/lib/list-page';
import { may } from '@/lib/permissions';
import type { SavedView, savedViewContracts } from './schema';
import { EVERYBODY, readViews, type StoredView } from './store';

/** Whose views a caller saves: an API token's are those of its user, or its own where no user owns it. */
export const viewerOf = ({ actor }: ReadContext): string => ownerOf(actor) ?? actor.id;

export const shownView = (ctx: ReadContext, { owner, ...view }: StoredView, shared: boolean): SavedView => ({
  ...view,
  shared,
  mayDelete: owner === viewerOf(ctx) || (ctx.actor.role !== null && may(ctx.actor.role, 'users:manage')),
});

/** savedViews.list */
export const listViews = async (
  ctx: ReadContext,
  input: PageInput,
): Promise<Result<typeof savedViewContracts.list>> => {
  const { id } = ctx.connection.config;
  const [own, shared] = await Promise.all(
    [viewerOf(ctx), EVERYBODY].map((whose) => readViews(ctx.store, id, whose)),
  );
  const items = [
    ...own!.map((view) => shownView(ctx, view, false)),
    ...shared!.map((view) => shownView(ctx, view, true)),
  ];
  const placeOf = ({ name, id }: SavedView) => [name, id];
  const sorted = items.sort((a, b) => comparePlaces(placeOf(a), placeOf(b)));
  return pageOfRows(sorted, input, ['string', 'string'], placeOf);
};
