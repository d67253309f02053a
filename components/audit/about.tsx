'use client';

import { Button, Group, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ListPartProps } from '@/components/contract-list/declare-list';
import { HostileText } from '@/components/patterns/hostile-text';
import { subjectIn } from '@/lib/audit/schema';

/** The subject in the address; null if it is invalid or lacks its connection. */
export const subjectOf = ({ subject, connection }: Record<string, string | undefined>) => {
  const parsed = subjectIn(subject);
  return parsed && (parsed.kind === 'account' || connection) ? parsed : null;
};

/** The subject that the address limits the entries to. */
export const About = ({ url, onChange }: ListPartProps) => {
  const t = useTranslations('audit.about');
  const subject = subjectOf(url);
  if (!subject) return null;
  return (
    <Group gap="sm" mb="sm">
      <Text size="sm" component="div">
        {t.rich('of', {
          kind: subject.kind,
          name: () => (
            <Text span fw={600}>
              <HostileText max={100}>{subject.name}</HostileText>
            </Text>
          ),
        })}
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => onChange({ subject: '' })}>
        {t('clear')}
      </Button>
    </Group>
  );
};
