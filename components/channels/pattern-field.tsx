'use client';

import { Button, Group, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type FormEvent, useState } from 'react';
import { isSecret, useLooksSecret } from '@/components/patterns/looks-secret';

/** A pattern to watch, as PSUBSCRIBE reads it. */
export const PatternField = ({ onWatch }: { onWatch: (pattern: string) => void }) => {
  const t = useTranslations('channels.pattern');
  const tWord = useTranslations('words');
  const [pattern, setPattern] = useState('');
  // The pattern is put into the address.
  const refused = useLooksSecret()?.(pattern) === true;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (pattern === '' || (await isSecret(pattern))) return;
    onWatch(pattern);
    setPattern('');
  };
  return (
    <form onSubmit={submit} style={{ marginBottom: 12 }}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <TextInput
          aria-label={tWord('pattern')}
          placeholder={t('example')}
          value={pattern}
          maxLength={200}
          error={refused && t('secret')}
          onChange={(event) => setPattern(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={pattern === '' || refused}>
          {t('watch')}
        </Button>
      </Group>
    </form>
  );
};
