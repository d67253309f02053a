import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { badField, Problem } from '@/lib/errors';
import { cursorAt, indexAt } from '@/lib/list-page';
import { cursorExpired } from '@/lib/redis/server-process';
import { searchPage } from './key-search';
import { readSubject, type Subject } from './record';
import { type Element, refsOf, refsOfIds } from './refs';
import { type RelationRow, relationRows } from './relation-rows';
import { rowElements } from './row-elements';
import { scanRelations, searchesOf } from './scanned';
import type { EntityRef, entityContracts } from './schema';
import { NAMED_BY_KEYS } from './show';

/** Databases up to this size are scanned completely for relations found by keys. */
export const MAX_SCANNED_KEYS = 20_000;

interface PageOptions {
  cursor?: string | undefined;
  limit: number;
}

interface RefPage {
  items: EntityRef[];
  nextCursor: string | null;
}

/** Prefixes of cursors: a position among all ids, or one in a scan. */
const ALL = 'a.';
const SCAN = 's.';

/** Elements of a relation for an answer. */
const shownRefs = (
  ctx: ReadContext,
  subject: Subject,
  { source, target }: RelationRow,
  elements: readonly Element[],
): Promise<EntityRef[]> => {
  const access = source?.access ?? subject.record?.access ?? NAMED_BY_KEYS;
  return refsOf(ctx, target, elements, { access, owner: subject });
};

/** A page of the ids found by a complete scan. */
export const pageOfIds = async (
  ctx: ReadContext,
  subject: Subject,
  row: RelationRow,
  ids: readonly string[],
  { cursor, limit }: PageOptions,
): Promise<RefPage> => {
  const from = cursor === undefined ? 0 : indexAt(cursor.slice(ALL.length));
  const end = from + limit;
  return {
    items: await refsOfIds(ctx, row.target, ids.slice(from, end), subject),
    nextCursor: end < ids.length ? `${ALL}${cursorAt([end])}` : null,
  };
};

const grown = (): Problem =>
  new Problem('cursor_expired', 'There are many more keys now. Start again without a cursor.');

type Page = RefPage & { count: number | null };

const scannedPage = async (
  ctx: ReadContext,
  subject: Subject,
  row: RelationRow,
  page: PageOptions,
): Promise<Page> => {
  const { cursor, limit } = page;
  const isOfAll = cursor?.startsWith(ALL) ?? false;
  const isSmall =
    (cursor === undefined || isOfAll) && (await ctx.reader.size()) <= MAX_SCANNED_KEYS * (isOfAll ? 2 : 1);
  if (isOfAll && !isSmall) throw grown();
  if (isSmall) {
    const ids = (await scanRelations(ctx, subject, [row]))?.get(row.relation) ?? [];
    return { ...(await pageOfIds(ctx, subject, row, ids, page)), count: ids.length };
  }
  if (cursor !== undefined && !cursor.startsWith(SCAN)) throw cursorExpired();
  const { items, nextCursor } = await searchPage(ctx, searchesOf(ctx, subject, row), {
    cursor: cursor?.slice(SCAN.length),
    limit,
    read: (found) =>
      refsOfIds(
        ctx,
        row.target,
        found.map(({ id }) => id),
        subject,
      ),
  });
  return { items, nextCursor: nextCursor === null ? null : SCAN + nextCursor, count: null };
};

/** A page of a relation, and how many elements it has. Throws 410 for a cursor of another kind. */
export const relationPage = async (
  ctx: ReadContext,
  subject: Subject,
  row: RelationRow,
  page: PageOptions,
): Promise<Page> => {
  if ('keys' in row.definition.from) return scannedPage(ctx, subject, row, page);
  const { elements, next } = await rowElements(ctx, subject, row, page);
  return { items: await shownRefs(ctx, subject, row, elements), nextCursor: next, count: row.count };
};

const noSuchRelation = ({ entity }: Subject) => {
  const ids = (entity.relations ?? []).map(({ id }) => id);
  const message =
    ids.length === 0 ? `A ${entity.kind} has no relations.` : `This is one of ${ids.join(', ')}.`;
  return badField('relation', message);
};

/**
 * A page of a relation of an entity. Throws 400 for an unknown relation, and 410 for a cursor of another type or
 * server process.
 */
export const readRelation: ReadOf<typeof entityContracts.relation> = async (
  ctx,
  { kind, id, relation, ...page },
) => {
  const subject = await readSubject(ctx, kind, id);
  const [name = '', place] = relation.split('.', 2);
  const definition = subject.entity.relations?.find((relation) => relation.id === name);
  if (!definition || (place !== undefined && !/^[2-9]\d?$|^1\d$/.test(place))) throw noSuchRelation(subject);
  const rows = await relationRows(ctx, subject, name);
  const row = rows.find((candidate) => candidate.relation === relation);
  // A missing source has no row.
  if (!row) return { relation, items: [], nextCursor: null, count: 0 };
  return { relation, ...(await relationPage(ctx, subject, row, page)) };
};
