/** A list stored in a variable, with separators or as JSON. */
interface ListText {
  items: string[];
  /** Writes items in the format of the original text. */
  write: (items: readonly string[]) => string;
}

const asJson = (items: readonly string[]): string => JSON.stringify(items);

const readJson = (text: string): string[] | null => {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : null;
  } catch {
    return null;
  }
};

const separatorOf = (text: string): string => {
  if (/,\s/.test(text)) return ', ';
  return !text.includes(',') && /\s/.test(text) ? ' ' : ',';
};

/** Reads a list and its format; null if it could not be written back in the same format. */
export const readList = (text: string): ListText | null => {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) {
    const items = readJson(trimmed);
    return items && { items, write: asJson };
  }
  if (/[\r\n]/.test(trimmed)) return null;
  const separator = separatorOf(trimmed);
  const items = trimmed.split(/\s*,\s*|\s+/).filter((item) => item !== '');
  return { items, write: (next) => next.join(separator) };
};
