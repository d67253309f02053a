'use client';

import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { useFormat } from './use-format';

const UNIT_SECONDS: Record<string, number> = { d: 86_400, h: 3600, min: 60, s: 1 };
const DURATION = /^(\d+(?:\.\d+)?) (d|h|min|s)$/;
const RANGE = ' – ';

/** The server's words for a catalog's TTL ("30 d", "5 min – 1 h", "never expires") in the reader's language. */
export const useTtlWords = () => {
  const tWord = useTranslations('words');
  const { duration } = useFormat();
  return useCallback(
    (text: string): string => {
      if (text === 'never expires') return tWord('neverExpires');
      if (text === 'until invalidated') return tWord('untilInvalidated');
      const ends = text.split(RANGE).map((end) => DURATION.exec(end));
      return ends.every((end) => end !== null)
        ? ends.map(([, count, unit]) => duration(Number(count) * UNIT_SECONDS[unit!]!)).join(RANGE)
        : text;
    },
    [tWord, duration],
  );
};
