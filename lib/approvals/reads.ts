import 'server-only';
import { findChangeRequest, readChangeRequests } from '@/lib/approval-requests/changes';
import { approvalRule } from '@/lib/command/approval-rule';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import { currentText } from '@/lib/flags/current-text';
import { readAllRequests, type StoredRequest } from '@/lib/flags/requests';
import { pageOfRows } from '@/lib/list-page';
import { DAY } from '@/lib/time';
import { previewNow } from './previews';
import { isShown, rowOf, rowOfFlag } from './rows';
import { APPROVAL_STATES, type ApprovalRow, type ApprovalState, type approvalContracts } from './schema';

/** How long an expired request is listed, ms. */
const LISTED_MS = 7 * DAY;

const readRows = async (ctx: ReadContext): Promise<ApprovalRow[]> => {
  const [changes, flags] = await Promise.all([readChangeRequests(ctx), readAllRequests(ctx)]);
  const listed = flags.filter(({ expiresAt }) => !expiresAt || expiresAt + LISTED_MS > ctx.now());
  const rows = [
    ...changes.map((request) => rowOf(ctx, request)),
    ...listed.map((request) => rowOfFlag(ctx, request)),
  ];
  return rows.filter((row) => isShown(ctx, row));
};

const contains = ({ operation, target, by }: ApprovalRow, q: string): boolean =>
  [operation, target, by].some((text) => text.toLowerCase().includes(q));

/** approvals.list */
export const listApprovals: ReadOf<typeof approvalContracts.list> = async (ctx, { q, state, ...page }) => {
  const rows = await readRows(ctx);
  const count = (wanted: ApprovalState) => rows.filter((row) => row.state === wanted).length;
  const shown = rows.filter(
    (row) => (!state || row.state === state) && (!q || contains(row, q.toLowerCase())),
  );
  const placeOf = (row: ApprovalRow) => [APPROVAL_STATES.indexOf(row.state), row.requestedAt, row.id];
  return {
    ...pageOfRows(shown, page, ['number', 'string', 'string'], placeOf),
    total: rows.length,
    states: Object.fromEntries(APPROVAL_STATES.map((each) => [each, count(each)])) as Record<
      ApprovalState,
      number
    >,
  };
};

/** The open request of a flag's change with this id; null for others. */
export const findFlagRequest = async (ctx: ReadContext, id: string): Promise<StoredRequest | null> =>
  (await readAllRequests(ctx)).find((request) => request.id === id) ?? null;

const readFlag = async (ctx: ReadContext, request: StoredRequest) => {
  const row = rowOfFlag(ctx, request);
  const from = await currentText(ctx, request.name);
  const isPending = row.state === 'pending';
  return { ...row, now: isPending ? { count: 1, facts: { from, to: request.to } } : null, obstacle: null };
};

/** approvals.get. Only who may decide on a request, or made it, learns what it would touch now. */
export const getApproval: ReadOf<typeof approvalContracts.get> = async (ctx, { id }) => {
  const request = await findChangeRequest(ctx, id);
  const flag = request ? null : await findFlagRequest(ctx, id);
  const { bound } = approvalRule(ctx.connection);
  if (flag) {
    const row = await readFlag(ctx, flag);
    if (isShown(ctx, row)) return { ...row, bound: 0 };
  }
  const row = request && rowOf(ctx, request);
  if (!request || !row || !isShown(ctx, row)) throw notFound('This request');
  const isPreviewed = row.state === 'pending' && (row.own || row.mayDecide);
  const preview = isPreviewed ? await previewNow(ctx, request) : { now: null, obstacle: null };
  return { ...row, ...preview, bound };
};
