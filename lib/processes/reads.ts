import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { rememberLongKeys } from '@/lib/command/key-ids';
import type { Input, Result } from '@/lib/contract';
import { cursorAt, pageOfRows } from '@/lib/list-page';
import { isoOrNull } from '@/lib/time';
import { startOf } from './named-values';
import { type processContracts, STAGES } from './schema';
import { type KnownState, sharedStates } from './shared-states';
import { showState } from './shown-state';
import { readStates } from './stored-state';
import { type Judgement, judgeState } from './stuck';

type List = Input<typeof processContracts.list>;
type Listed = Result<typeof processContracts.list>;

const MAX_PROCESSES = 200;
/** A page of states with large fields ends early. */
const MAX_PAGE_BYTES = 2 * 2 ** 20;
const CHUNK_SIZE = 50;

/** A state with the values by which the list sorts and filters. */
interface Row {
  state: KnownState;
  judgement: Judgement;
}

const rowOf = (state: KnownState, now: number): Row => {
  const { family, values, expiresAt } = state;
  return { state, judgement: judgeState({ values, ttl: family.ttl, hasTtl: expiresAt !== null, now }) };
};

const isStuck = ({ judgement }: Row): boolean => judgement.stuckReasons.length > 0;

const filterOf = ({ q, process, stage }: List) => {
  const words = q?.toLowerCase();
  return (row: Row): boolean =>
    (words === undefined || row.state.shown.key.toLowerCase().includes(words)) &&
    (process === undefined || row.state.shown.process === process) &&
    (stage === undefined || (stage === 'stuck' ? isStuck(row) : row.judgement.stage === stage));
};

/** Stuck ones first, then the oldest; the others follow. */
const placeOf = (row: Row) => {
  const { state, judgement } = row;
  const start = judgement.ageSeconds === null ? null : startOf(state.values);
  return [isStuck(row) ? 0 : 1, start ?? Number.MAX_SAFE_INTEGER, state.keyId];
};

/** The rows with their current fields. Ends early where they are large: then `next` is the last row shown. */
const readRows = async (ctx: ReadContext, rows: readonly Row[]) => {
  const items: Listed['items'] = [];
  let bytes = 0;
  for (let from = 0; from < rows.length; from += CHUNK_SIZE) {
    const chunk = rows.slice(from, from + CHUNK_SIZE);
    const stored = await readStates(
      ctx,
      chunk.map(({ state }) => state.key),
    );
    for (const [i, row] of chunk.entries()) {
      const state = stored[i];
      if (!state) continue;
      const shown = await showState(ctx, { known: row.state, stored: state, now: ctx.now() });
      items.push(shown);
      for (const { name, value } of shown.fields) bytes += name.length + (value?.length ?? 0);
      if (bytes > MAX_PAGE_BYTES && row !== rows.at(-1)) return { items, last: row };
    }
  }
  return { items, last: null };
};

const countsOf = (rows: readonly Row[]) =>
  Object.fromEntries(
    STAGES.map((id) => [id, rows.filter(({ judgement }) => judgement.stage === id).length]),
  ) as Listed['stages'];

const processesOf = (rows: readonly Row[]): string[] =>
  [...new Set(rows.map(({ state }) => state.shown.process).filter((name) => name !== null))]
    .sort()
    .slice(0, MAX_PROCESSES);

/** processes.list: stuck ones first, then the oldest. */
export const listStates = async (ctx: ReadContext, input: List): Promise<Listed> => {
  const { found, foundAt, readAt, isComplete } = await sharedStates.current(ctx.connection, ctx.catalog);
  const now = ctx.now();
  const rows = found
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .map((state) => rowOf(state, now));
  const shape = ['number', 'number', 'string'] as const;
  const page = pageOfRows(rows.filter(filterOf(input)), input, shape, placeOf);
  const { items, last } = await readRows(ctx, page.items);
  await rememberLongKeys(
    ctx,
    page.items.map(({ state }) => state.key),
  );
  const known = (figure: number): number | null => (readAt === null ? null : figure);
  return {
    items,
    nextCursor: last ? cursorAt(placeOf(last)) : page.nextCursor,
    total: known(rows.length),
    stuck: known(rows.filter(isStuck).length),
    stages: countsOf(rows),
    processes: processesOf(rows),
    foundAt: isoOrNull(foundAt),
    readAt: isoOrNull(readAt),
    isComplete,
  };
};
