/** Characters per row: a longer line continues in the next one. */
const ROW_CHARACTERS = 1000;

export interface TextRow {
  text: string;
  /** The number of the line that begins here; null for a continuation. */
  line: number | null;
  /** Whether a line break follows. */
  ends: boolean;
}

const LOW = /^[\udc00-\udfff]/;

/** A text as rows of bounded length, for a list that renders only visible rows. */
export const textRows = (text: string): TextRow[] => {
  const rows: TextRow[] = [];
  const lines = text.split('\n');
  lines.forEach((whole, i) => {
    const last = i === lines.length - 1;
    // A final line break does not begin another line.
    if (last && whole === '' && i > 0) return;
    let at = 0;
    do {
      let end = Math.min(whole.length, at + ROW_CHARACTERS);
      if (LOW.test(whole.slice(end, end + 1))) end++;
      rows.push({
        text: whole.slice(at, end),
        line: at === 0 ? i + 1 : null,
        ends: end === whole.length && !last,
      });
      at = end;
    } while (at < whole.length);
  });
  return rows;
};
