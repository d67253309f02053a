const two = (value: number): string => String(value).padStart(2, '0');

/** An ISO time as `<input type="datetime-local">` wants it, in the reader's zone; '' for none. */
export const toLocalInput = (iso: string): string => {
  const at = new Date(iso);
  if (iso === '' || Number.isNaN(at.getTime())) return '';
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
};

/** What such a field holds as an ISO time in UTC; '' for none. */
export const fromLocalInput = (text: string): string => {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString();
};
