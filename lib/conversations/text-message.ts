import 'server-only';
import type { ConversationDefinition } from '@/lib/keyspace/entities';
import { readTime } from '@/lib/values/read-time';

type Part = NonNullable<ConversationDefinition['text']>[number];

/** A message that is one text (`time|content`, `nickname|time|content`), in its parts. */
interface TextMessage {
  sender: string | null;
  /** As written. */
  time: string | null;
  /** Epoch ms. */
  at: number | null;
  content: string;
  problem: 'noSeparator' | 'noTime' | null;
}

const SEPARATOR = '|';

/** The place of the time among the pieces: a name before it may contain the separator. */
const timePlace = (pieces: readonly string[], layout: readonly Part[]): number => {
  const declared = layout.indexOf('time');
  if (declared <= 0) return declared;
  const last = pieces.length - (layout.length - declared);
  for (let at = declared; at <= last; at++) if (readTime(pieces[at]!) !== null) return at;
  return declared;
};

/**
 * The parts of a text by the layout of its application. The last part keeps further separators. A text with too few of them
 * is all content; a time that cannot be read stays as it is written.
 */
export const parseText = (text: string, layout: readonly Part[]): TextMessage => {
  const pieces = text.split(SEPARATOR);
  if (pieces.length < layout.length)
    return { sender: null, time: null, at: null, content: text, problem: 'noSeparator' };
  const found: Partial<Record<Part, string>> = {};
  const extra = Math.max(0, timePlace(pieces, layout) - layout.indexOf('time'));
  let from = 0;
  for (const [i, part] of layout.entries()) {
    const isLast = i === layout.length - 1;
    const end = isLast ? pieces.length : i + 1 + extra;
    found[part] = pieces.slice(from, end).join(SEPARATOR);
    from = end;
  }
  const { sender = null, time = null, content = text } = found;
  const at = time === null ? null : readTime(time);
  return { sender, time, at, content, problem: time !== null && at === null ? 'noTime' : null };
};
