import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import { badField } from '@/lib/errors';
import { iso, SECOND } from '@/lib/time';
import { currentLimits, type Limits } from './limits';
import { cursorAt, type Place, placeOf, rowsAfter } from './order';
import { passForPage, windowsKey } from './pass';
import { onHash, readRows } from './rows';
import type { KnownProject, RateWindow, rateLimitContracts, WindowState } from './schema';
import { sharedView, stateAt, type View, type WindowOrder } from './view';

type ListInput = Input<typeof rateLimitContracts.list>;

/** The first list of a large hash answers with the rows found within this time. */
const FIRST_ROWS_TIMEOUT_MS = 120;
/** After this time a page is answered short. */
const PAGE_MS = 200;
/** Fields of one HMGET. */
const BATCH_SIZE = 200;
/** Extra rows per page: some may have changed since the pass, and one shows that there are more. */
const SPARE = 100;

/** The windows of a connection under the current limits: the last pass, or the first one as far as it is. */
export const currentView = async (ctx: ReadContext): Promise<{ view: View; limits: Limits }> => {
  const [pass, limits] = await Promise.all([
    onHash(ctx, () => passForPage(ctx, FIRST_ROWS_TIMEOUT_MS)),
    currentLimits(ctx.connection),
  ]);
  return { view: await sharedView(pass, limits, Math.floor(ctx.now() / SECOND)), limits };
};

/** The project whose complete id is searched for, if it has a window or a limit. */
const findProject = async (
  ctx: ReadContext,
  { q, state, project }: ListInput,
  limits: Limits,
): Promise<RateWindow[]> => {
  const id = q?.trim() ?? '';
  if (!/^[0-9a-f]{24}$/i.test(id)) return [];
  const fields = [...new Set([id, id.toLowerCase()])].map((text) => Buffer.from(text));
  const rows = await readRows(ctx, fields, limits, true);
  return rows.filter((row): row is RateWindow => {
    if (row === null || (state !== undefined && row.state !== state)) return false;
    if (project !== undefined && row.project !== project) return false;
    return row.raw !== null || row.project === 'known' || (row.limit > 0 && row.field === id.toLowerCase());
  });
};

interface RowFilter {
  sort: WindowOrder;
  state: WindowState | undefined;
  project: KnownProject | undefined;
  /** Part of the field, one character per byte. */
  part: string;
  /** Ids of fields that are already on the page. */
  without: ReadonlySet<string>;
}

/** Fills a page from a position on. Each row is read again before it is returned. */
const fill = async (
  ctx: ReadContext,
  { view, limits }: { view: View; limits: Limits },
  from: Place | null,
  { sort, state, project, part, without }: RowFilter,
  room: number,
): Promise<{ items: RateWindow[]; after: Place | null; more: boolean }> => {
  const deadline = performance.now() + PAGE_MS;
  const matches = (row: number): boolean =>
    (state === undefined || stateAt(view, row) === state) &&
    (project === undefined || limits.project(view.fields[row]!) === project) &&
    view.fields[row]!.includes(part);
  const items: RateWindow[] = [];
  let [after, more] = [from, view.fields.length > 0];
  while (more && items.length < room && performance.now() < deadline) {
    const wanted = room - items.length + SPARE;
    const found = await rowsAfter(view, sort, after, wanted, matches);
    let used = 0;
    while (used < found.length && items.length < room) {
      const batch = found.slice(used, used + Math.min(BATCH_SIZE, room - items.length));
      const fields = batch.map(({ field }) => Buffer.from(field, 'latin1'));
      for (const row of await readRows(ctx, fields, limits)) {
        if (row === null || without.has(row.fieldId)) continue;
        if (state === undefined || row.state === state) items.push(row);
      }
      used += batch.length;
    }
    after = found[used - 1] ?? after;
    more = used < found.length || found.length === wanted;
  }
  return { items, after, more };
};

export const listWindows: ReadOf<typeof rateLimitContracts.list> = async (ctx, input) => {
  const key = windowsKey(ctx.connection, ctx.catalog);
  const { view, limits } = await currentView(ctx);
  const from = placeOf(input.cursor);
  if (from === undefined)
    throw badField('cursor', 'This cursor does not belong to this list: start again without one.');
  const exact = await findProject(ctx, input, limits);
  const first = input.cursor === undefined ? exact : [];
  const rowFilter: RowFilter = {
    sort: input.sort,
    state: input.state,
    project: input.project,
    part: Buffer.from(input.q?.trim() ?? '').toString('latin1'),
    without: new Set(exact.map(({ fieldId }) => fieldId)),
  };
  // Without limits every state would be a guess.
  const known = limits.state.status !== 'loading';
  const room = known ? Math.max(0, input.limit - first.length) : 0;
  const { items, after, more } = await fill(ctx, { view, limits }, from, rowFilter, room);
  const complete = known && view.pass.finishedAt !== null;
  return {
    items: [...first, ...items].slice(0, input.limit),
    nextCursor: more || !complete ? cursorAt(after) : null,
    counts: view.counts,
    total: await onHash(ctx, () => ctx.reader.read(['HLEN', key])),
    sampledAt: iso(view.pass.finishedAt ?? view.pass.startedAt),
    complete,
    progress: view.pass.share,
    limits: limits.state,
  };
};
