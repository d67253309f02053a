'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Duration } from '@/components/patterns/figures';
import { NO_STATUS } from '@/components/patterns/filter-bar';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Tooltip } from '@/components/patterns/tooltip';

interface Keyed {
  keyId: string;
}

export const keyIdOf = ({ keyId }: Keyed): string => keyId;

/** A word with its meaning on hover. */
export const MeantBadge = ({
  color,
  means,
  children,
}: {
  color: string;
  means: string;
  children: string;
}) => (
  <Tooltip label={means} multiline maw={300}>
    <Badge color={color}>{children}</Badge>
  </Tooltip>
);

/** What is left of a life; "never expires" without an end. */
export const LeftFigure = ({ seconds }: { seconds: number | null }) => {
  const t = useTranslations('locks');
  return seconds === null ? t('noExpiry') : <Duration value={seconds} />;
};

interface ReadFacts {
  foundAt: string | null;
  readAt: string | null;
  isComplete: boolean;
}

/** A newer key than the scan is in no list. */
const MAX_SCAN_AGE_MS = 10_000;

/** When the rows were read, when their keys were found, and whether these are all. */
export const ReadLine = ({ of }: { of: ReadFacts | undefined }) => {
  const t = useTranslations('locks.read');
  if (!of) return NO_STATUS;
  const { foundAt, readAt, isComplete } = of;
  if (foundAt === null || readAt === null) return t('reading');
  return (
    <>
      {t.rich('at', { age: () => <RelativeTime at={readAt} /> })}
      {Date.parse(readAt) - Date.parse(foundAt) > MAX_SCAN_AGE_MS && (
        <> · {t.rich('found', { age: () => <RelativeTime at={foundAt} /> })}</>
      )}
      {!isComplete && ` · ${t('notAll')}`}
    </>
  );
};
