'use client';

import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Facts } from '@/components/patterns/facts';
import { fromBase64, hexOf } from '@/components/patterns/file-bytes';
import { HostileText } from '@/components/patterns/hostile-text';
import { MultilineText } from '@/components/patterns/multiline-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useSentences } from '@/components/patterns/use-sentences';
import classes from './env.module.css';
import type { Present, Refusal } from './refusal';

/** Failed checks that are only guesses; the drawer's button then saves anyway. */
export const Doubts = ({
  doubts,
  what = 'value',
}: {
  doubts: NonNullable<Refusal['doubts']>;
  what?: 'value' | 'name';
}) => {
  const t = useTranslations('env.refused');
  const translate = useSentences();
  return (
    <Alert
      color="orange"
      role="alert"
      icon={<IconAlertTriangle size={18} />}
      title={t(what === 'value' ? 'doubtful' : 'doubtfulName')}
    >
      {doubts.map((doubt) => (
        <Text key={doubt.message} size="sm">
          {translate(doubt.message)}
        </Text>
      ))}
      <Text size="sm" mt={4}>
        {t('anyway')}
      </Text>
    </Alert>
  );
};

interface ChangedMeanwhileProps {
  present: Present;
  /** The value when the drawer opened; null if hidden. */
  seen: string | null;
  /** The value to save; null if hidden, undefined if the change sets no value. */
  mine?: string | null;
  onLoadTheirs?: (() => void) | null;
}

const MASK = '••••••••';

/** Someone else changed the variable first: shows both values to choose from. */
export const ChangedMeanwhile = ({ present, seen, mine, onLoadTheirs }: ChangedMeanwhileProps) => {
  const t = useTranslations('env.refused');
  const tWord = useTranslations('words');
  const shown = (text: string | null): ReactNode =>
    text === null ? (
      <span className={classes.quiet}>{MASK}</span>
    ) : (
      <span className={classes.plain}>
        <MultilineText maxLines={6} max={300}>
          {text}
        </MultilineText>
      </span>
    );
  const now = present.valueBase64 ? hexOf(fromBase64(present.valueBase64), 64) : present.value;
  return (
    <Alert color="orange" role="alert" icon={<IconAlertTriangle size={18} />} title={t('changed')}>
      <Text size="sm" mb={4} component="div">
        {present.updatedAt
          ? t.rich('changedBy', {
              who: () => <HostileText max={60}>{present.updatedBy}</HostileText>,
              when: () => <RelativeTime at={present.updatedAt} />,
            })
          : t('changedElsewhere')}
      </Text>
      <Facts
        facts={[
          { label: tWord('before'), value: shown(seen) },
          {
            label: tWord('now'),
            value:
              present.valueType === 'string' ? shown(now) : tWord('otherType', { type: present.valueType }),
          },
          mine === undefined ? null : { label: t('mine'), value: shown(mine) },
        ]}
      />
      <Group justify="space-between" mt="xs" gap="xs">
        <Text size="xs">{t(mine === undefined ? 'decide' : 'choose')}</Text>
        {onLoadTheirs && (
          <Button size="compact-sm" variant="default" onClick={onLoadTheirs}>
            {t('loadTheirs')}
          </Button>
        )}
      </Group>
    </Alert>
  );
};
