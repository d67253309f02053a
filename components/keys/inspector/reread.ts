import type { KeyElement, ShownBytes } from '@/lib/key-values/schema';
import type { KeyDetails } from '@/lib/keys/schema';
import { readKey } from './queries';
import type { ElementRow } from './use-elements';

const MAX_MATCH = 500;
/** A search for one element ends after this many pages, found or not. */
const MAX_PAGES = 20;

const escapeGlob = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&');

const isSame = (a: ShownBytes | undefined, b: ShownBytes | undefined): boolean =>
  a !== undefined && b !== undefined && a.text === b.text && a.base64 === b.base64;

/** Whether two readings are of the same element, regardless of its value or score. */
const isOf = (row: KeyElement, found: KeyElement): boolean => {
  if (row.index !== undefined) return row.index === found.index;
  if (row.entryId !== undefined) return row.entryId === found.entryId;
  return isSame(row.field ?? row.member, found.field ?? found.member);
};

export interface Reread {
  details: KeyDetails;
  /** null: the element no longer exists. */
  element: KeyElement | null;
}

/** Reads an element again: by its name where that is text, otherwise on its former page. */
export const rereadElement = async (connection: string, keyId: string, row: ElementRow): Promise<Reread> => {
  const name = (row.field ?? row.member)?.text ?? null;
  const match = name === null || name.length === 0 ? null : escapeGlob(name);
  const byName = match !== null && match.length <= MAX_MATCH;
  let cursor: string | null = byName ? '' : row.page;
  for (let page = 0; ; page++) {
    const details = await readKey(connection, keyId, {
      ...(byName && { match }),
      ...(cursor && { cursor }),
    });
    const element = details.elements.find((found) => isOf(row, found)) ?? null;
    cursor = details.nextCursor;
    if (element || cursor === null || !byName || page === MAX_PAGES) return { details, element };
  }
};
