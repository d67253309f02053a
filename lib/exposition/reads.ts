import 'server-only';
import type { ReadOf } from '@/lib/command/context';
import { type FigureDefinition, figuresByName } from '@/lib/figures/figure';
import { figureDefinitions, readFigures } from '@/lib/figures/registry';
import { pageOfRows } from '@/lib/list-page';
import { allows, type Role } from '@/lib/permissions';
import { iso } from '@/lib/time';
import type { expositionContracts } from './schema';

/** The figures whose values a role may see. */
export const visibleFigures = (role: Role | null): FigureDefinition[] =>
  figureDefinitions().filter(({ permission }) => allows(role, permission));

/** figures.list */
export const listFigures: ReadOf<typeof expositionContracts.figures> = async (
  { store, connection, catalog, actor, now },
  { q = '', ...page },
) => {
  const wanted = q.trim().toLowerCase();
  const visible = visibleFigures(actor.role).filter(({ name, help }) =>
    `${name} ${help}`.toLowerCase().includes(wanted),
  );
  const { items, nextCursor } = pageOfRows(visible, page, ['string'], ({ name }) => [name]);
  const values = figuresByName(await readFigures({ store, connection, catalog, now: now() }));
  return {
    items: items.map(({ name, help, unit, labels }) => ({
      name,
      help,
      unit,
      labels: [...labels],
      values: (values.get(name) ?? []).map(({ labels, value, at }) => ({ labels, value, at: iso(at) })),
    })),
    nextCursor,
  };
};
