import { ApiProblem } from '@/lib/api-client';
import type { DataTableProps } from './table-props';

interface PagedQuery {
  data: unknown;
  error: unknown;
  isPlaceholderData: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
}

type PageProps = Pick<
  DataTableProps<unknown>,
  'loading' | 'placeholder' | 'hasMore' | 'fetchingMore' | 'onMore'
>;

/** The props of a table whose rows come from an infinite query. */
export const pagesOf = (query: PagedQuery): PageProps => ({
  loading: query.data === undefined,
  placeholder: query.isPlaceholderData,
  hasMore: query.hasNextPage,
  fetchingMore: query.isFetchingNextPage,
  onMore: () => {
    // The server will always refuse this cursor: the list must be reloaded first.
    if (query.error instanceof ApiProblem && query.error.code === 'cursor_expired') return;
    void query.fetchNextPage();
  },
});
