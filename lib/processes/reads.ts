import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { cursorAt } from '@/lib/list-page';
import { countKinds, type Judged, namesOf, placeOf, roleList } from '@/lib/role-keys/role-list';
import { startOf } from './named-values';
import { type processContracts, STAGES, type Stage } from './schema';
import { type KnownState, sharedStates } from './shared-states';
import { showState } from './shown-state';
import { readStates } from './stored-state';
import { judgeState } from './stuck';

type Listed = Result<typeof processContracts.list>;

/** A page of states with large fields ends early. */
const MAX_PAGE_BYTES = 2 * 2 ** 20;
const CHUNK_SIZE = 50;

type Row = Judged<KnownState, Stage>;

const rowOf = (state: KnownState, now: number): Row => {
  const { family, values, expiresAt } = state;
  const facts = { values, ttl: family.ttl, hasTtl: expiresAt !== null, now };
  const { stage, stuckReasons, ageSeconds } = judgeState(facts);
  const since = ageSeconds === null ? null : startOf(values);
  return { row: state, kinds: [stage], isWrong: stuckReasons.length > 0, since };
};

/** The rows with their current fields. Ends early where they are large: then `next` is the last row shown. */
const readRows = async (ctx: ReadContext, rows: readonly Row[]) => {
  const items: Listed['items'] = [];
  let bytes = 0;
  for (let from = 0; from < rows.length; from += CHUNK_SIZE) {
    const chunk = rows.slice(from, from + CHUNK_SIZE);
    const stored = await readStates(
      ctx,
      chunk.map(({ row }) => row.key),
    );
    for (const [i, judged] of chunk.entries()) {
      const state = stored[i];
      if (!state) continue;
      const shown = await showState(ctx, { known: judged.row, stored: state, now: ctx.now() });
      items.push(shown);
      for (const { name, value } of shown.fields) bytes += name.length + (value?.length ?? 0);
      if (bytes > MAX_PAGE_BYTES && judged !== rows.at(-1)) return { items, last: judged };
    }
  }
  return { items, last: null };
};

/** processes.list: stuck ones first, then the oldest. */
export const listStates = async (
  ctx: ReadContext,
  { process, stage, ...page }: Input<typeof processContracts.list>,
): Promise<Listed> => {
  const { found, ...pass } = await sharedStates.current(ctx.connection, ctx.catalog);
  const now = ctx.now();
  const alive = found.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const rows = alive.map((state) => rowOf(state, now));
  const list = await roleList(
    ctx,
    pass,
    rows,
    page,
    ({ row, kinds, isWrong }) =>
      (process === undefined || row.shown.process === process) &&
      (stage === undefined || (stage === 'stuck' ? isWrong : kinds.includes(stage))),
  );
  const { items, last } = await readRows(ctx, list.items);
  return {
    items,
    nextCursor: last ? cursorAt(placeOf(last)) : list.nextCursor,
    total: list.total,
    stuck: list.wrong,
    stages: countKinds(STAGES, rows),
    processes: namesOf(rows, 'process'),
    ...list.facts,
  };
};
