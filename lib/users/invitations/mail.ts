import 'server-only';
import { type Actor, actorLabel } from '@/lib/actor';
import { env } from '@/lib/configuration';
import { newId } from '@/lib/ids';
import type { Locale } from '@/lib/locales';
import { sendMail } from '@/lib/mail';
import { sentTexts } from '@/lib/sent-texts';
import { SECOND, utcText } from '@/lib/time';
import { visibleText } from '@/lib/visible-text';

/** Shorter than that of alerts: an admin waits for it. */
const TIMEOUT_MS = 10 * SECOND;

/** The console's address; the base path alone where it does not know its own origin. */
const address = (): string => {
  const { nextAuthUrl, basePath } = env();
  return (nextAuthUrl ? new URL(nextAuthUrl).origin : '') + basePath;
};

/** The code is in the fragment, which browsers send to no server. */
export const linkTo = (code: string): string => `${address()}/invitation#${code}`;

interface LinkMail {
  kind: 'invitation' | 'reset';
  to: string;
  link: string;
  /** Epoch ms. */
  until: number;
  actor: Actor;
  language: Locale;
}

/** Names are in the text only and in no header, and as one visible line. */
const textOf = ({ kind, link, until, actor, language }: LinkMail): string => {
  const t = sentTexts(language);
  const who = visibleText(actorLabel(actor), 120);
  return [
    t(`sentTexts.link.why.${kind}`, { who, address: address() }),
    '',
    t('sentTexts.link.open', { until: utcText(until) }),
    '',
    link,
    '',
    t('sentTexts.link.secret'),
    '',
  ].join('\n');
};

/** Sends a link. Why it was not sent, null if it was. Never throws, and ends after ten seconds. */
export const mailLink = async (mail: LinkMail): Promise<string | null> => {
  if (!env().nextAuthUrl) return 'NEXTAUTH_URL is not set, so a link in a mail would lead nowhere.';
  const t = sentTexts(mail.language);
  const subject = t(`sentTexts.link.subject.${mail.kind}`);
  const sent = await sendMail({ id: newId(), to: [mail.to], subject, text: textOf(mail) }, TIMEOUT_MS);
  return sent.delivered ? null : sent.error;
};
