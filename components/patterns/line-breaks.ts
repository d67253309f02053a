type LineBreaks = 'lf' | 'crlf' | 'mixed';

/** How lines end. Text fields return LF only, so the original breaks must be restored. */
export const lineBreaksOf = (text: string): LineBreaks => {
  const lone = text.replaceAll('\r\n', '');
  if (!text.includes('\r')) return 'lf';
  return /[\r\n]/.test(lone) ? 'mixed' : 'crlf';
};

/** `typed` with the line breaks of `model`; mixed ones become LF. */
export const withLineBreaksOf = (model: string, typed: string): string => {
  const plain = typed.replace(/\r\n?/g, '\n');
  return lineBreaksOf(model) === 'crlf' ? plain.replaceAll('\n', '\r\n') : plain;
};
