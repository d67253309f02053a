/** The rows on screen, and what waits to be applied to them. */
export interface SteadyRows<Row> {
  rows: readonly Row[];
  /** Ids of rows that are shown, and are not in the latest answer. */
  gone: ReadonlySet<string>;
  /** Rows that are new, gone or in another place in the latest answer. */
  updates: number;
}

const NONE: ReadonlySet<string> = new Set();

export const latestRows = <Row>(rows: readonly Row[]): SteadyRows<Row> => ({ rows, gone: NONE, updates: 0 });

interface HoldOptions<Row> {
  rowId: (row: Row) => string;
  /** Rows behind the last known one are the next page: they are added, since they move nothing. */
  paged: boolean;
}

/** Keeps the order and the set of the rows on screen; only their values follow the latest answer. */
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
  // A row that moved makes one step back in the sequence of the old places, however far it went.
  const moved = known.filter((place, i) => i > 0 && place < known[i - 1]!).length;
  const gone = new Set([...placeOf.keys()].filter((id) => !rowOf.has(id)));
  return {
    rows: [...shown.map((row) => rowOf.get(rowId(row)) ?? row), ...latest.slice(pageStart)],
    gone,
    updates: added + moved + gone.size,
  };
};
