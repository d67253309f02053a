import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { rememberLongKeys } from '@/lib/command/key-ids';
import { type PageInput, type Place, pageOfRows } from '@/lib/list-page';
import { isoOrNull } from '@/lib/time';
import type { RolePass, RoleRow } from './role-pass';

/** A row of a list as it is now. */
export interface Judged<Row, Kind extends string> {
  row: Row;
  /** The problems or stages by which rows are counted and filtered. */
  kinds: readonly Kind[];
  /** Something is wrong with it: it is listed before the others. */
  isWrong: boolean;
  /** Epoch ms; null where unknown. */
  since: number | null;
}

type AnyJudged = Judged<RoleRow<object, string>, string>;

const SHAPE = ['number', 'number', 'string'] as const;

/** What is wrong first, then the oldest. */
export const placeOf = ({ row, isWrong, since }: AnyJudged): Place => [
  isWrong ? 0 : 1,
  Math.round(since ?? Number.MAX_SAFE_INTEGER),
  row.keyId,
];

/** A page of a role's keys, with totals of all of them that are null before they were read. */
export const roleList = async <J extends AnyJudged>(
  ctx: ReadContext,
  { foundAt, readAt, isComplete }: Omit<RolePass<unknown>, 'found'>,
  judged: readonly J[],
  { q, ...page }: PageInput & { q?: string | undefined },
  isWanted: (judged: J) => boolean,
) => {
  const words = q?.toLowerCase() ?? '';
  // Displayed text only, so that a search cannot find masked text.
  const isFound = (one: J) => one.row.shown.key.toLowerCase().includes(words) && isWanted(one);
  const { items, nextCursor } = pageOfRows(judged.filter(isFound), page, SHAPE, placeOf);
  await rememberLongKeys(
    ctx,
    items.map(({ row }) => row.key),
  );
  const isRead = readAt !== null;
  return {
    items,
    nextCursor,
    total: isRead ? judged.length : null,
    wrong: isRead ? judged.filter(({ isWrong }) => isWrong).length : null,
    facts: { foundAt: isoOrNull(foundAt), readAt: isoOrNull(readAt), isComplete },
  };
};

export const countKinds = <Kind extends string>(
  all: readonly Kind[],
  judged: readonly { kinds: readonly Kind[] }[],
): Record<Kind, number> =>
  Object.fromEntries(
    all.map((kind) => [kind, judged.filter(({ kinds }) => kinds.includes(kind)).length]),
  ) as Record<Kind, number>;

const MAX_NAMES = 200;

/** The names of a part, for filters. */
export const namesOf = <Part extends string>(
  judged: readonly { row: RoleRow<object, Part> }[],
  part: Part,
): string[] => [...new Set(judged.flatMap(({ row }) => row.shown[part] ?? []))].sort().slice(0, MAX_NAMES);
