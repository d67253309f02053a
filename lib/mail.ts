import 'server-only';
import { connect, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport';
import { type Attempt, failed, type Rest } from './attempt';
import { env } from './configuration';
import { SECOND } from './time';

/** Longer than that of webhooks: mail servers check a message before they accept it. */
export const MAIL_TIMEOUT_MS = 30 * SECOND;

/** One address and nothing else: no list, no comment, no line break. */
const ADDRESS = /^[^\s@<>()[\],;:"\\\p{Cc}]+@[^\s@<>()[\],;:"\\\p{Cc}]+$/u;

export const isAddress = (text: string): boolean => ADDRESS.test(text);

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  recipient?: string;
  rejectedErrors?: SmtpError[];
}

const REASONS: Record<string, string> = {
  EAUTH: 'The mail server refused the user name or password.',
  EENVELOPE: 'The mail server refused the sender or the message.',
  EMESSAGE: 'The mail server refused the message.',
  ETLS: 'The TLS handshake with the mail server failed.',
  ETIMEDOUT: 'The mail server did not answer in time.',
};

const isFinal = (code: number | undefined): boolean => code !== undefined && code >= 500;

/** By code: messages of the library repeat what the server answered, and may contain the address of the server. */
const failureOf = ({ code = '', responseCode }: SmtpError): Attempt => {
  const reason = REASONS[code] ?? 'The mail server was not reached.';
  return failed(
    responseCode === undefined ? reason : `${reason} (${responseCode})`,
    !isFinal(responseCode),
    responseCode ?? null,
  );
};

/** What came of it when some recipients were refused: only those that the server may accept later are tried again. */
const partly = (errors: readonly SmtpError[], total: number, before: number): Attempt => {
  const later = errors.filter(({ responseCode }) => !isFinal(responseCode));
  const codes = [...new Set(errors.flatMap(({ responseCode }) => responseCode ?? []))];
  const refused = before + errors.length;
  if (refused === 0) return { delivered: true, retry: false, status: null, error: null };
  const text = `${refused} of ${total} recipients were refused${codes.length > 0 ? ` (${codes.join(', ')})` : ''}.`;
  const rest: Rest = {
    to: later.flatMap(({ recipient }) => recipient ?? []),
    refused: refused - later.length,
  };
  return { ...failed(text, later.length > 0, codes[0] ?? null), rest };
};

interface Mail {
  id: string;
  to: readonly string[];
  /** The rest of an earlier attempt, which other recipients in `to` have received. */
  rest?: Rest | null | undefined;
  subject: string;
  text: string;
}

const optionsOf = (address: string, timeout: number) => {
  const url = new URL(address);
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    ...(user && { auth: { user, pass: decodeURIComponent(url.password) } }),
    // A password is never sent in clear over a network.
    requireTLS: !secure && user !== '' && !LOOPBACK.test(url.hostname),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    dnsTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  };
};

/** Connects on a socket of ours: the library has no way to end an attempt. */
const ownSocket = (options: ReturnType<typeof optionsOf>) => {
  let socket: Socket | undefined;
  const getSocket: SMTPTransport.Options['getSocket'] = (_, done) => {
    const opened = connect({ host: options.host, port: options.port });
    socket = opened;
    opened.once('error', (error) => done(error, undefined));
    opened.once('connect', () => {
      opened.removeAllListeners('error');
      done(null, { connection: opened });
    });
  };
  return { getSocket, end: () => socket?.destroy(new Error('No answer in time.')) };
};

const UNCONFIRMED =
  'The mail server did not confirm the message, which it may have accepted: it is not sent again.';

/** Sends a text mail through KEYWARD_SMTP_URL. Never throws, and ends after half a minute. */
export const sendMail = async (
  { id, to, rest, subject, text }: Mail,
  timeoutMs: number = MAIL_TIMEOUT_MS,
): Promise<Attempt> => {
  const { mail } = env();
  if (!mail) return failed('KEYWARD_SMTP_URL is not set, so no mail is sent.', false);
  if (!to.every(isAddress)) return failed('A recipient is not an e-mail address.', false);
  // The channel may have other recipients by now.
  const recipients = rest ? rest.to.filter((address) => to.includes(address)) : to;
  if (recipients.length === 0) return partly([], to.length, rest?.refused ?? 0);
  const options = optionsOf(mail.url, timeoutMs);
  const { getSocket, end } = ownSocket(options);
  const transport = createTransport({ ...options, getSocket });
  let bodySent = false;
  transport.use('stream', ({ message }, done) => {
    message.processFunc((body) => body.once('end', () => (bodySent = true)));
    done();
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMs);
  const judged = (errors: readonly SmtpError[]) => partly(errors, to.length, rest?.refused ?? 0);
  try {
    const { rejectedErrors = [] } = (await transport.sendMail({
      from: mail.from,
      to: recipients.map((address) => ({ name: '', address })),
      subject,
      text,
      // Receivers drop a message they have, should an attempt be repeated.
      messageId: `<${id}@keyward>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })) as { rejectedErrors?: SmtpError[] };
    return judged(rejectedErrors);
  } catch (error) {
    const { rejectedErrors, responseCode } = error as SmtpError;
    if (rejectedErrors) return judged(rejectedErrors);
    if (bodySent && responseCode === undefined) return failed(UNCONFIRMED, false);
    return isLate ? failed(`No answer within ${timeoutMs / SECOND} s.`, true) : failureOf(error as SmtpError);
  } finally {
    clearTimeout(timer);
    end();
  }
};
