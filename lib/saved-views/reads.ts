import 'server-only';
import { settingsIdOf } from '@/lib/actor';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { comparePlaces, type PageInput, pageOfRows } from '@/lib/list-page';
import { may } from '@/lib/permissions';
import type { SavedView, savedViewContracts } from './schema';
import { EVERYBODY, readViews, type StoredView } from './store';

export const shownView = (ctx: ReadContext, { owner, ...view }: StoredView, shared: boolean): SavedView => ({
  ...view,
  shared,
  mayDelete:
    owner === settingsIdOf(ctx.actor) || (ctx.actor.role !== null && may(ctx.actor.role, 'users:manage')),
});

/** savedViews.list */
export const listViews = async (
  ctx: ReadContext,
  input: PageInput,
): Promise<Result<typeof savedViewContracts.list>> => {
  const { id } = ctx.connection.config;
  const [own, shared] = await Promise.all(
    [settingsIdOf(ctx.actor), EVERYBODY].map((whose) => readViews(ctx.store, id, whose)),
  );
  const items = [
    ...own!.map((view) => shownView(ctx, view, false)),
    ...shared!.map((view) => shownView(ctx, view, true)),
  ];
  const placeOf = ({ name, id }: SavedView) => [name, id];
  const sorted = items.sort((a, b) => comparePlaces(placeOf(a), placeOf(b)));
  return pageOfRows(sorted, input, ['string', 'string'], placeOf);
};
