/** Rows sorted by one figure. Rows with an unknown figure are last, in both directions. */
export const byFigure = <Row>(
  rows: readonly Row[],
  figure: (row: Row) => number | null,
  order: 'asc' | 'desc',
): Row[] => {
  const sign = order === 'asc' ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [x, y] = [figure(a), figure(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * (x - y);
  });
};
