import 'server-only';
import { findChangeRequest } from '@/lib/approval-requests/changes';
import type { ReadContext } from '@/lib/command/context';
import { findFlagRequest } from './reads';

/** Audit target of a decision: the operation and target of the request. */
export const requestLine = async ({ id }: { id: string }, ctx: ReadContext): Promise<string> => {
  const request = await findChangeRequest(ctx, id);
  if (request) return `${request.operation}: ${request.target}`;
  const flag = await findFlagRequest(ctx, id);
  return flag ? `flags.${flag.action}: ${flag.name}` : 'no request';
};
