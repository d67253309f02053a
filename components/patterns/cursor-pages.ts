const PAGE_SIZE = 100;

/** What the lists that go on by a cursor have in common, for `infiniteQueryOptions`. */
export const cursorPages = {
  initialPageParam: '',
  getNextPageParam: (page: { nextCursor: string | null }): string | undefined => page.nextCursor ?? undefined,
};

/** The input for one page; an empty cursor asks for the first. */
export const pageAfter = (cursor: string) => ({ limit: PAGE_SIZE, ...(cursor && { cursor }) });
