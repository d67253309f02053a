'use client';

import { HostileText } from './hostile-text';
import { useSentences } from './use-sentences';

interface TargetTextProps {
  children: string | null | undefined;
  max: number;
}

/** What a change is about, or who made it. A name of one word is never translated: it is somebody's data. */
export const TargetText = ({ children, max }: TargetTextProps) => {
  const translate = useSentences();
  return <HostileText max={max}>{children?.includes(' ') ? translate(children) : children}</HostileText>;
};
