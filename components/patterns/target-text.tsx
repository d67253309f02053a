'use client';

import { HostileText } from './hostile-text';
import { ServerSentence } from './server-sentence';

interface TargetTextProps {
  children: string | null | undefined;
  max: number;
}

/** What a change is about, or who made it. A name of one word is never translated: it is somebody's data. */
export const TargetText = ({ children, max }: TargetTextProps) => {
  const Text = children?.includes(' ') ? ServerSentence : HostileText;
  return <Text max={max}>{children}</Text>;
};
