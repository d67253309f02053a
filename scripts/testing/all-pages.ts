import { expect } from 'vitest';
import { problemOf } from './problem-of';

type ReadPage<T> = (page: { limit: number; cursor?: string }) => Promise<{
  items: T[];
  nextCursor: string | null;
}>;

const MAX_PAGES = 1000;
/** The fourth and fifth are well-formed cursors that no list issues. */
const NO_CURSORS = ['', '-1', 'nonsense', 'W10', 'W3t9XQ'];

/** Reads all pages of a list and checks that none exceeds the limit and that invalid cursors are refused. */
export const allPages = async <T>(read: ReadPage<T>, limit: number): Promise<T[]> => {
  for (const cursor of NO_CURSORS) {
    const refused = await problemOf(read({ limit, cursor }));
    expect([cursor, refused.status]).toEqual([cursor, 400]);
    expect(refused.extensions).toMatchObject({ errors: [{ path: 'cursor' }] });
  }
  const items: T[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; cursor !== null; pages++) {
    expect(pages).toBeLessThan(MAX_PAGES);
    const page = await read({ limit, ...(cursor !== undefined && { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
};
