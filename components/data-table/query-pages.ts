import { ApiProblem } from '@/lib/api-client';
import type { DataTableProps } from './data-table';

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

/** What a table is told of a query that goes on page by page. */
export const pagesOf = (query: PagedQuery): PageProps => ({
  loading: query.data === undefined,
  placeholder: query.isPlaceholderData,
  hasMore: query.hasNextPage,
  fetchingMore: query.isFetchingNextPage,
  onMore: () => {
    // Its cursor is refused each time: the list has to be read again first.
    if (query.error instanceof ApiProblem && query.error.code === 'cursor_expired') return;
    void query.fetchNextPage();
  },
});
