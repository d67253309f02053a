'use client';

import { Badge, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { KeyText } from '@/components/patterns/hostile-text';
import type { ListedKey } from '@/lib/keys/listed/schema';

/** Why a key cannot be read as what its family says. */
export type KeyProblem = 'wrongType' | 'unreadable' | 'notANumber' | 'notAHyperLogLog' | 'damaged';

export const ProblemBadge = ({ problem }: { problem: KeyProblem | null }) => {
  const t = useTranslations('queues.problem');
  return problem && <Badge color="orange">{t(problem)}</Badge>;
};

/** A key with its family, and what is wrong with it. */
export const KeyCell = ({ row, problem }: { row: ListedKey; problem: KeyProblem | null }) => (
  <>
    <KeyText max={80}>{row.key}</KeyText> <ProblemBadge problem={problem} />
    <Text size="xs" c="dimmed">
      {row.title}
    </Text>
  </>
);
