/** The rows on screen, and the updates that wait. */
export interface SteadyRows<Row> {
  rows: readonly Row[];
  /** Ids of displayed rows that are missing in the latest answer. */
  gone: ReadonlySet<string>;
  /** Number of rows that are new, gone or moved in the latest answer. */
  updates: number;
}

const NONE: ReadonlySet<string> = new Set();

export const latestRows = <Row>(rows: readonly Row[]): SteadyRows<Row> => ({ rows, gone: NONE, updates: 0 });

interface HoldOptions<Row> {
  rowId: (row: Row) => string;
  /** Rows after the last known one are the next page: they are added, because they move nothing. */
  paged: boolean;
}

/** Keeps the order and the set of the rows on screen; only their values are updated. */
export const holdRows = <Row>(
  shown: readonly Row[],
  latest: readonly Row[],
  { rowId, paged }: HoldOptions<Row>,
): SteadyRows<Row> => {
  const placeOf = new Map(shown.map((row, place) => [rowId(row), place]));
  const rowOf = new Map(latest.map((row) => [rowId(row), row]));
  const places = latest.map((row) => placeOf.get(rowId(row)));
  const known = places.filter((place) => place !== undefined);
  const pageStart =
    paged && (known.length > 0 || shown.length === 0)
      ? places.findLastIndex((place) => place !== undefined) + 1
      : latest.length;
  const added = places.slice(0, pageStart).filter((place) => place === undefined).length;
  // A moved row causes one descent in the sequence of old places, however far it moved.
  const moved = known.filter((place, i) => i > 0 && place < known[i - 1]!).length;
  const gone = new Set([...placeOf.keys()].filter((id) => !rowOf.has(id)));
  return {
    rows: [...shown.map((row) => rowOf.get(rowId(row)) ?? row), ...latest.slice(pageStart)],
    gone,
    updates: added + moved + gone.size,
  };
};
