const PAGE_SIZE = 100;

/** The options that all lists with a cursor share, for `infiniteQueryOptions`. */
export const cursorPages = {
  initialPageParam: '',
  getNextPageParam: (page: { nextCursor: string | null }): string | undefined => page.nextCursor ?? undefined,
};

/** The input for one page; an empty cursor requests the first. */
export const pageAfter = (cursor: string) => ({ limit: PAGE_SIZE, ...(cursor && { cursor }) });
