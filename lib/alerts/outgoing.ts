import 'server-only';
import { env } from '@/lib/configuration';

/** A message as each kind of channel sends it. */
export interface Outgoing {
  /** The same for every attempt. */
  id: string;
  /** JSON. */
  webhook: string;
  slack: string;
  mail: { subject: string; text: string };
}

/** An address people can open, where the console knows its own; null otherwise. `path` begins with a slash. */
export const consoleLink = (path: string): string | null => {
  const { nextAuthUrl, basePath } = env();
  return nextAuthUrl ? `${new URL(nextAuthUrl).origin}${basePath}${path}` : null;
};

/** A line break in a name would begin another header. */
export const subjectOf = (title: string): string => title.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');

const COLORS = { bad: '#e03131', warn: '#f08c00', good: '#2f9e44', plain: '#868e96' } as const;
export type Tone = keyof typeof COLORS;

/** Slack's three control characters: without them no mention and no link can be written. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

interface SlackText {
  title: string;
  text: string;
  tone: Tone;
  link: string | null;
  linkTitle: string;
}

/** Slack's incoming webhooks, and what is compatible with them. */
export const slackText = ({ title, text, tone, link, linkTitle }: SlackText): string =>
  JSON.stringify({
    text: escaped(title),
    mrkdwn: false,
    attachments: [
      {
        color: COLORS[tone],
        text: escaped(text),
        mrkdwn_in: [],
        ...(link !== null && { title: linkTitle, title_link: link }),
      },
    ],
  });
