import 'server-only';
import { createTransport } from 'nodemailer';
import { env } from '@/lib/env';
import { SECOND } from '@/lib/time';
import { type Attempt, failed, TIMEOUT_MS } from './post';

/** One address and nothing else: no list, no comment, no line break. */
const ADDRESS = /^[^\s@<>()[\],;:"\\\p{Cc}]+@[^\s@<>()[\],;:"\\\p{Cc}]+$/u;

export const isAddress = (text: string): boolean => ADDRESS.test(text);

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
}

const REASONS: Record<string, string> = {
  EAUTH: 'The mail server refused the user name or password.',
  EENVELOPE: 'The mail server refused the sender or a recipient.',
  EMESSAGE: 'The mail server refused the message.',
  ETLS: 'The TLS handshake with the mail server failed.',
  ETIMEDOUT: 'The mail server did not answer in time.',
};

/** By code: messages of the library repeat what the server answered, and may contain the address of the server. */
const failureOf = ({ code = '', responseCode }: SmtpError): Attempt => {
  const reason = REASONS[code] ?? 'The mail server was not reached.';
  const isFinal = responseCode !== undefined && responseCode >= 500;
  return failed(
    responseCode === undefined ? reason : `${reason} (${responseCode})`,
    !isFinal,
    responseCode ?? null,
  );
};

interface Mail {
  id: string;
  to: readonly string[];
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
    ...{ connectionTimeout: timeout, greetingTimeout: timeout, socketTimeout: timeout, dnsTimeout: timeout },
    ...{ disableFileAccess: true, disableUrlAccess: true, logger: false },
  };
};

/** Sends a text mail through KEYWARD_SMTP_URL. Never throws, and ends after ten seconds. */
export const sendMail = async (
  { id, to, subject, text }: Mail,
  timeoutMs: number = TIMEOUT_MS,
): Promise<Attempt> => {
  const { mail } = env();
  if (!mail) return failed('KEYWARD_SMTP_URL is not set, so no mail is sent.', false);
  if (!to.every(isAddress)) return failed('A recipient is not an e-mail address.', false);
  const transport = createTransport(optionsOf(mail.url, timeoutMs));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Attempt>((resolve) => {
    const seconds = timeoutMs / SECOND;
    timer = setTimeout(() => resolve(failed(`No answer within ${seconds} s.`, true)), timeoutMs);
  });
  const sent = transport
    .sendMail({
      ...{ from: mail.from, to: to.map((address) => ({ name: '', address })), subject, text },
      // Receivers drop a message they have, should an attempt be repeated.
      messageId: `<${id}@keyward>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    .then<Attempt, Attempt>(() => ({ delivered: true, retry: false, status: null, error: null }), failureOf);
  try {
    return await Promise.race([sent, late]);
  } finally {
    clearTimeout(timer);
    transport.close();
  }
};
