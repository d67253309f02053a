'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { Duration } from '@/components/patterns/figures';
import { KeyText } from '@/components/patterns/hostile-text';
import type { ListedKey } from '@/lib/key-values/schema';

/** Why a key cannot be read as what its family says. */
type KeyProblem = 'wrongType' | 'unreadable' | 'notANumber' | 'notAHyperLogLog' | 'damaged';

export const ProblemBadge = ({ problem }: { problem: KeyProblem | null }) => {
  const t = useTranslations('queues.problem');
  return problem && <Badge color="orange">{t(problem)}</Badge>;
};

const NO_TTL_KNOWN: readonly string[] = ['none', 'unreadable'];

/** When a key expires; "—" where that is unknown, or there is no key. */
export const TtlText = ({ row: { type, ttlSeconds } }: { row: ListedKey }) => {
  const tWord = useTranslations('words');
  if (ttlSeconds === null && !NO_TTL_KNOWN.includes(type)) return <span>{tWord('neverExpires')}</span>;
  return <Duration value={ttlSeconds} />;
};

/** A key with its family, and what is wrong with it. */
export const KeyCell = ({ row, problem }: { row: ListedKey; problem: KeyProblem | null }) => (
  <>
    <KeyText max={80}>{row.key}</KeyText> <ProblemBadge problem={problem} />
    <Dimmed size="xs">{row.title}</Dimmed>
  </>
);

export const ttlColumn = {
  id: 'ttl',
  align: 'right' as const,
  width: 110,
  cell: (row: ListedKey) => <TtlText row={row} />,
  value: ({ ttlSeconds }: ListedKey) => ttlSeconds,
};

/** What the lists of keys by role have in common. */
export const LISTED = {
  rowId: ({ keyId }: ListedKey) => keyId,
  rowName: ({ key }: ListedKey) => key,
  everyMs: 5000,
  isReading: ({ foundAt }: { foundAt: string | null }) => foundAt === null,
};
