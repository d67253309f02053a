import 'server-only';
import { z } from 'zod';
import { actorLabel, settingsIdOf } from '@/lib/actor';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { badField, notFound, Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { maskSecrets } from '@/lib/keyspace/mask';
import { requireNoSecret } from '@/lib/keyspace/require-no-secret';
import { may } from '@/lib/permissions';
import { shownView } from './reads';
import { MAX_VIEWS, savedViewContracts } from './schema';
import { deleteView, EVERYBODY, readViews, type StoredView, storedView, writeView } from './store';

const decoded = (href: string): string => {
  try {
    return decodeURIComponent(href);
  } catch {
    throw badField('href', 'Not a path of the console.');
  }
};

const TOO_MANY = `There are ${MAX_VIEWS} saved views already: delete one first.`;

const write = async (ctx: WriteContext, whose: string, view: StoredView): Promise<void> => {
  if (!(await writeView(ctx.store, ctx.connection.config.id, whose, view)))
    throw new Problem('conflict', TOO_MANY);
};

/** savedViews.create: in the console's store, so a read-only connection takes it too. */
export const createView = defineCommand({
  contract: savedViewContracts.create,
  target: ({ name }) => maskSecrets(name, false),
  redact: ({ name, table, shared }) => ({ name: maskSecrets(name, false), table, shared }),
  isNoOp: async () => true,
  run: async (ctx, { name, table, href, columns, shared }) => {
    if (shared && !(ctx.actor.role !== null && may(ctx.actor.role, 'live:view')))
      throw new Problem('forbidden', 'Your role can save views, but not share them.');
    requireNoSecret('A saved view', 'name', name);
    requireNoSecret('A saved view', 'href', decoded(href));
    const view = {
      id: newId(),
      name,
      table,
      href,
      columns,
      by: actorLabel(ctx.actor),
      owner: settingsIdOf(ctx.actor),
    };
    await write(ctx, shared ? EVERYBODY : view.owner, view);
    return { result: { view: shownView(ctx, view, shared) }, after: { name, table, shared } };
  },
});

/** Where the view is that the caller may delete. */
const findView = async (ctx: ReadContext, id: string) => {
  for (const whose of [settingsIdOf(ctx.actor), EVERYBODY]) {
    const view = (await readViews(ctx.store, ctx.connection.config.id, whose)).find((each) => each.id === id);
    if (view) return { whose, view };
  }
  return null;
};

/** What undoes a deletion: whose view it was. */
const deleted = z.object({ whose: z.string(), view: storedView.extend({ id: z.string() }) });

/** savedViews.delete */
export const deleteSavedView = defineCommand({
  contract: savedViewContracts.delete,
  target: async ({ id }, ctx) => (await findView(ctx, id))?.view.name ?? 'a saved view',
  redact: () => ({}),
  isNoOp: async () => true,
  run: async (ctx, { id }) => {
    const found = await findView(ctx, id);
    if (!found) throw notFound('This saved view');
    const shared = found.whose === EVERYBODY;
    if (!shownView(ctx, found.view, shared).mayDelete)
      throw new Problem(
        'forbidden',
        `${found.view.by} shared this view. Ask them or an administrator to delete it.`,
      );
    if (!(await deleteView(ctx.store, ctx.connection.config.id, found.whose, id)))
      throw notFound('This saved view');
    const { name, table } = found.view;
    return { result: { id }, before: { name, table, shared }, undo: { ...found } };
  },
  undo: async (ctx, kept) => {
    const { whose, view } = deleted.parse(kept);
    if (await writeView(ctx.store, ctx.connection.config.id, whose, view))
      return { undone: 1, conflicts: [] };
    return { undone: 0, conflicts: [{ what: view.name, why: TOO_MANY }] };
  },
  // Views of others come back, too.
  undoPermission: 'users:manage',
  undoOfConsole: true,
});
