type LineBreaks = 'lf' | 'crlf' | 'mixed';

/** How lines end. A text field knows LF only: what it gives back has to be put right again. */
export const lineBreaksOf = (text: string): LineBreaks => {
  const lone = text.replaceAll('\r\n', '');
  if (!text.includes('\r')) return 'lf';
  return /[\r\n]/.test(lone) ? 'mixed' : 'crlf';
};

/** The text of a field with the line breaks of `model`; mixed ones become LF. */
export const withLineBreaksOf = (model: string, typed: string): string => {
  const plain = typed.replace(/\r\n?/g, '\n');
  return lineBreaksOf(model) === 'crlf' ? plain.replaceAll('\n', '\r\n') : plain;
};
