import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { badInput } from '@/lib/errors';
import { iso, SECOND } from '@/lib/time';
import { cursorAt, positionOf, START } from './cursor';
import { objectId } from './level-table';
import { currentLimits, type Limits } from './limits';
import { currentPass, windowsKey } from './pass';
import { onHash, readRows } from './rows';
import type { RateWindow, rateLimitContracts, WindowState } from './schema';
import { type Order, sharedView, stateAt, type View } from './view';

type ListInput = Input<typeof rateLimitContracts.list>;

/** A first look at a large hash answers with what was found within this, so that rows show at once. */
const FOUND_WITHIN_MS = 120;
/** No further rows are looked for after this: the page is short then. */
const PAGE_MS = 200;
const AT_ONCE = 200;
const SLICE = 8192;

/** The windows of a connection under the limits in force: what was read last, or as far as reading came. */
export const currentView = async (ctx: ReadContext): Promise<{ view: View; limits: Limits }> => {
  const [pass, limits] = await Promise.all([
    onHash(ctx, () => currentPass(ctx.connection, ctx.catalog, FOUND_WITHIN_MS)),
    currentLimits(ctx.connection),
  ]);
  return { view: await sharedView(pass, limits, Math.floor(ctx.now() / SECOND)), limits };
};

/** A project that was asked for by its id, with a window or with a limit. */
const askedFor = async (ctx: ReadContext, { q, state }: ListInput, limits: Limits): Promise<RateWindow[]> => {
  const id = q?.trim() ?? '';
  if (!/^[0-9a-f]{24}$/i.test(id)) return [];
  const fields = [...new Set([id, id.toLowerCase()])].map((text) => Buffer.from(text));
  const rows = await readRows(ctx, fields, limits, true);
  return rows.filter((row): row is RateWindow => {
    if (row === null || (state !== undefined && row.state !== state)) return false;
    return (
      row.raw !== null ||
      limits.knows(objectId(row.field)) ||
      (row.limit > 0 && row.field === id.toLowerCase())
    );
  });
};

interface Wanted {
  state: WindowState | undefined;
  part: Buffer | null;
  /** Fields shown already. */
  without: ReadonlySet<string>;
}

const fits = (view: View, row: number, { state, part }: Wanted): boolean =>
  (state === undefined || stateAt(view, row) === state) &&
  (part === null || view.pass.sample.field(row).includes(part));

/** Goes on from a position until the page is full; each row is read again before it is shown. */
const fill = async (
  ctx: ReadContext,
  { view, order, limits }: { view: View; order: Order; limits: Limits },
  from: number,
  wanted: Wanted,
  room: number,
): Promise<{ items: RateWindow[]; at: number }> => {
  const deadline = performance.now() + PAGE_MS;
  const items: RateWindow[] = [];
  let at = from;
  while (at < view.size && items.length < room && performance.now() < deadline) {
    const fields: Buffer[] = [];
    const most = Math.min(AT_ONCE, room - items.length);
    const end = Math.min(view.size, at + SLICE);
    for (; at < end && fields.length < most; at++) {
      const row = order.rows[at]!;
      if (fits(view, row, wanted)) fields.push(Buffer.from(view.pass.sample.field(row)));
    }
    const rows = await readRows(ctx, fields, limits);
    for (const row of rows) {
      if (row === null || wanted.without.has(row.fieldId)) continue;
      if (wanted.state === undefined || row.state === wanted.state) items.push(row);
    }
    if (fields.length === 0) await new Promise(setImmediate);
  }
  return { items, at };
};

export const listWindows = async (
  ctx: ReadContext,
  input: ListInput,
): Promise<Result<typeof rateLimitContracts.list>> => {
  const key = windowsKey(ctx.connection, ctx.catalog);
  const { view, limits } = await currentView(ctx);
  const order = await view.order(input.sort);
  const from = positionOf(view, order, input.cursor ?? START);
  if (from === null) throw badInput([{ path: 'cursor', message: 'This is not a cursor of this list.' }]);
  const asked = await askedFor(ctx, input, limits);
  const first = input.cursor === undefined ? asked : [];
  const wanted: Wanted = {
    state: input.state,
    part: input.q ? Buffer.from(input.q.trim()) : null,
    without: new Set(asked.map(({ fieldId }) => fieldId)),
  };
  // Under limits that are not known yet every state would be a guess.
  const known = limits.state.status !== 'loading';
  const room = known ? Math.max(0, input.limit - first.length) : 0;
  const { items, at } = await fill(ctx, { view, order, limits }, from, wanted, room);
  const complete = known && view.pass.finishedAt !== null;
  return {
    items: [...first, ...items].slice(0, input.limit),
    nextCursor: at < view.size || !complete ? cursorAt(view, order, at) : null,
    counts: view.counts,
    total: await onHash(ctx, () => ctx.reader.read(['HLEN', key])),
    sampledAt: iso(view.pass.finishedAt ?? view.pass.startedAt),
    complete,
    progress: view.pass.share,
    limits: limits.state,
  };
};
