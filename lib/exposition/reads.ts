import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import type { Figure, FigureDefinition } from '@/lib/figures/figure';
import { figureDefinitions, readFigures } from '@/lib/figures/registry';
import { pageOfRows } from '@/lib/list-page';
import { allows, type Role } from '@/lib/permissions';
import { iso } from '@/lib/time';
import type { expositionContracts } from './schema';

/** The figures whose values a role may see. */
export const visibleFigures = (role: Role | null): FigureDefinition[] =>
  figureDefinitions().filter(({ permission }) => allows(role, permission));

/** Values by the name of their figure. */
export const figuresByName = (figures: readonly Figure[]): Map<string, Figure[]> => {
  const byName = new Map<string, Figure[]>();
  for (const figure of figures) {
    const same = byName.get(figure.name);
    if (same) same.push(figure);
    else byName.set(figure.name, [figure]);
  }
  return byName;
};

/** figures.list */
export const listFigures = async (
  { store, connection, catalog, actor, now }: ReadContext,
  { q = '', ...page }: Input<typeof expositionContracts.figures>,
): Promise<Result<typeof expositionContracts.figures>> => {
  const wanted = q.trim().toLowerCase();
  const visible = visibleFigures(actor.role).filter(({ name, help }) =>
    `${name} ${help}`.toLowerCase().includes(wanted),
  );
  const { items, nextCursor } = pageOfRows(visible, page, ['string'], ({ name }) => [name]);
  const values = figuresByName(await readFigures({ store, connection, catalog, now: now() }));
  return {
    items: items.map(({ name, help, unit, labels }) => ({
      ...{ name, help, unit, labels: [...labels] },
      values: (values.get(name) ?? []).map(({ labels, value, at }) => ({ labels, value, at: iso(at) })),
    })),
    nextCursor,
  };
};
