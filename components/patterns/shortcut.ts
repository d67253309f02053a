'use client';

import { useEffect, useState } from 'react';

const isLatin = (text: string | undefined): boolean => text !== undefined && /^[a-z]$/i.test(text);

/** The letter of a shortcut: the typed one or, on layouts of other scripts, the Latin one on the same key. */
export const letterOf = ({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string | undefined =>
  (isLatin(key) ? key : /^Key([A-Z])$/.exec(code)?.[1])?.toLowerCase();

/** Slash, or its key on layouts with another character there. */
export const isSlash = ({ key, code, shiftKey }: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): boolean =>
  key === '/' || (code === 'Slash' && !shiftKey);

/** The question mark, or its key on layouts with another character there. */
export const isQuestion = ({
  key,
  code,
  shiftKey,
}: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): boolean =>
  key === '?' || (code === 'Slash' && shiftKey);

interface WithLayout {
  /** Chromium only. */
  keyboard?: { getLayoutMap: () => Promise<ReadonlyMap<string, string>> };
}

/** A letter in the keyboard's layout: "Л" for "K" on a Russian one. */
export const useShownLetter = (letter: string): string => {
  const [shown, setShown] = useState(letter);
  useEffect(() => {
    const show = (layout: ReadonlyMap<string, string> | undefined) => {
      const own = layout?.get(`Key${letter}`);
      setShown(own && !isLatin(own) ? own.toUpperCase() : letter);
    };
    // Rejected in a frame without the permission.
    void (navigator as WithLayout).keyboard?.getLayoutMap().then(show, () => undefined);
  }, [letter]);
  return shown;
};
