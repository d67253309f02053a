'use client';

import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Link } from '@/components/patterns/link';
import { referenceOf } from './reference';
import classes from './trouble.module.css';

/** Shown for a URL without a page. */
export const NotFound = () => {
  const t = useTranslations('shell.trouble');
  return (
    <Stack className={classes.box} gap="sm">
      <Title order={1}>{t('notFound')}</Title>
      <Text c="dimmed">{t('notFoundNote')}</Text>
      <Group>
        <Button component={Link} href="/">
          {t('home')}
        </Button>
      </Group>
    </Stack>
  );
};

interface BrokenProps {
  error: Error & { digest?: string };
  retry: () => void;
}

/** Shown when a page threw. */
export const Broken = ({ error, retry }: BrokenProps) => {
  const t = useTranslations('shell.trouble');
  const tWord = useTranslations('words');
  return (
    <Stack className={classes.box} gap="sm" role="alert">
      <Title order={1}>{tWord('broke')}</Title>
      <Text c="dimmed">{t('brokeNote')}</Text>
      <Text size="sm">
        {t.rich('reference', { id: referenceOf(error), code: (id) => <code>{id}</code> })}
      </Text>
      <Group>
        <Button onClick={retry}>{tWord('tryAgain')}</Button>
        <Button variant="default" component={Link} href="/">
          {t('home')}
        </Button>
      </Group>
    </Stack>
  );
};
