import { queryOptions } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import type { Result } from '@/lib/contract';
import { type SessionOrder, sessionContracts } from '@/lib/sessions/schema';

export type Person = Result<typeof sessionContracts.user>;

/** After a failure the page recovers by itself within 5 s. */
const AGAIN_MS = 3000;

/** One person. The values of another person are never shown while these load. */
export const personQuery = (connection: string, userId: string, complete: boolean, order: SessionOrder) =>
  queryOptions({
    queryKey: ['sessions.user', connection, userId, complete, order],
    queryFn: ({ signal }) =>
      call(sessionContracts.user, { userId, complete, ...order }, { connection, signal }),
    placeholderData: (last) => (last?.userId === userId ? last : undefined),
    refetchInterval: ({ state }) => (state.status === 'error' ? AGAIN_MS : false),
  });
