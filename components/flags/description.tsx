'use client';

import { ActionIcon, Group, UnstyledButton } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { Tooltip } from '@/components/patterns/tooltip';
import touch from '@/components/patterns/touch.module.css';
import type { Flag } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { useObstacle } from './policy';

interface DescriptionProps {
  flag: Flag;
  onDescribe: (flag: Flag) => void;
}

/** A flag's description, with the button that opens what is noted about it. */
export const Description = ({ flag, onDescribe }: DescriptionProps) => {
  const t = useTranslations('flags.describe');
  const mayChange = useObstacle() === null;
  const name = visibleText(flag.name, 80);
  if (!flag.description)
    return mayChange ? (
      <UnstyledButton aria-label={t('addOf', { name })} onClick={() => onDescribe(flag)}>
        <Dimmed size="xs" td="underline">
          {t('add')}
        </Dimmed>
      </UnstyledButton>
    ) : null;
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Dimmed size="xs" component="div">
        <HostileText max={160}>{flag.description}</HostileText>
      </Dimmed>
      {mayChange && (
        <Tooltip label={t('edit')}>
          <ActionIcon
            size="xs"
            className={touch.thumb}
            aria-label={t('of', { name })}
            onClick={() => onDescribe(flag)}
          >
            <IconPencil size={13} />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
};
