'use client';

import { HostileText } from './hostile-text';
import { useSentences } from './use-sentences';

interface ServerSentenceProps {
  /** What the server wrote in English. */
  children: string | null | undefined;
  /** Number of characters before the rest is cut. */
  max?: number;
}

/** A sentence of the server in the reader's language. */
export const ServerSentence = ({ children, max }: ServerSentenceProps) => {
  const translate = useSentences();
  return <HostileText max={max}>{children && translate(children)}</HostileText>;
};
