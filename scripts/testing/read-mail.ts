const fromHex = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString();

const WORD = /=\?UTF-8\?([BQ])\?([^?]*)\?=/gi;

/** The subject and the text of a mail as a mail program shows them (RFC 2045, RFC 2047). */
export const readMail = (mail: string): { subject: string; text: string } => {
  const end = mail.indexOf('\r\n\r\n');
  const head = mail.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const body = mail.slice(end + 4);
  const [, subject = ''] = /^Subject: (.*)$/m.exec(head) ?? [];
  const [, encoding] = /^Content-Transfer-Encoding: (.*)$/im.exec(head) ?? [];
  return {
    subject: subject
      .replace(/\?= (?==\?)/g, '?=')
      .replace(WORD, (_, kind: string, word: string) =>
        kind.toUpperCase() === 'B' ? fromBase64(word) : fromHex(word.replace(/_/g, ' ')),
      ),
    text:
      encoding === 'base64'
        ? fromBase64(body)
        : encoding === 'quoted-printable'
          ? fromHex(body.replace(/=\r\n/g, ''))
          : body,
  };
};
