'use client';

import { Button, Group, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type FormEvent, useState } from 'react';
import { looksSecret } from '@/lib/keyspace/mask';
import classes from './channels.module.css';

/** A pattern to watch, as PSUBSCRIBE reads it. */
export const PatternField = ({ onWatch }: { onWatch: (pattern: string) => void }) => {
  const t = useTranslations('channels.pattern');
  const tWord = useTranslations('words');
  const [pattern, setPattern] = useState('');
  // It would be in the address.
  const isSecret = looksSecret(pattern);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (pattern === '' || isSecret) return;
    onWatch(pattern);
    setPattern('');
  };
  return (
    <form onSubmit={submit} className={classes.pattern}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <TextInput
          aria-label={tWord('pattern')}
          placeholder={t('example')}
          value={pattern}
          maxLength={200}
          error={isSecret && t('secret')}
          onChange={(event) => setPattern(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={pattern === '' || isSecret}>
          {t('watch')}
        </Button>
      </Group>
    </form>
  );
};
