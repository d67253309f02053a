import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { cutOf } from '@/lib/key-values/etag';
import { cursorAt, indexAt } from '@/lib/list-page';
import { memberPage } from './members';
import type { Subject } from './record';
import type { Element } from './refs';
import type { RelationRow } from './relation-rows';

interface PageOptions {
  cursor?: string | undefined;
  limit: number;
}

export interface ElementPage {
  elements: Element[];
  next: string | null;
}

const NOTHING: ElementPage = { elements: [], next: null };

/** The elements in a field of the record or in the id itself. */
const ownElements = ({ record, parts }: Subject, { definition: { from } }: RelationRow): Element[] => {
  if ('field' in from) {
    const value = record?.values.get(from.field);
    return value && value.length > 0 ? [{ cut: cutOf(value), score: null }] : [];
  }
  const names = 'parts' in from ? from.parts : [];
  const texts = new Set(names.flatMap((name) => parts.get(name) ?? []));
  return [...texts].map((text) => ({ cut: cutOf(Buffer.from(text)), score: null }));
};

/** A page of the elements of a relation that is not found by scanning. Throws 410 for a cursor of another type. */
export const rowElements = async (
  ctx: ReadContext,
  subject: Subject,
  row: RelationRow,
  { cursor, limit }: PageOptions,
): Promise<ElementPage> => {
  const { source, definition } = row;
  if ('memberOf' in definition.from) return NOTHING;
  if (source) {
    if (source.access.hidden) return NOTHING;
    const { members, next } = await memberPage(ctx, source.key, source.shape.type, { cursor, limit });
    const elements = members.map(({ bytes, length, score }) => ({ cut: { bytes, length }, score }));
    return { elements, next };
  }
  const from = cursor === undefined ? 0 : indexAt(cursor);
  const elements = ownElements(subject, row);
  const end = from + limit;
  return { elements: elements.slice(from, end), next: end < elements.length ? cursorAt([end]) : null };
};
