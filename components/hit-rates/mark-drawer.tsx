'use client';

import { Stack, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { fieldError } from '@/components/patterns/field-error';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { TimeField } from '@/components/patterns/time-field';
import { useCommand } from '@/components/patterns/use-command';
import { annotationContracts } from '@/lib/annotations/schema';

/** A form for a deploy mark, at first of now: mounted again each time it opens. */
export const MarkDrawer = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const t = useTranslations('hitRates.mark');
  const tWord = useTranslations('words');
  const mark = useCommand(annotationContracts.create);
  const [text, setText] = useState('');
  const [href, setHref] = useState('');
  const [at, setAt] = useState(() => new Date().toISOString());
  return (
    <FormDrawer
      opened={opened}
      onClose={onClose}
      title={t('title')}
      verb={t('verb')}
      onReadOnly
      withReason={false}
      blocked={text.trim() === '' || at === ''}
      change={mark}
      input={(words) => ({ at, text: text.trim(), ...(href.trim() && { href: href.trim() }), ...words })}
      done={() => t('done')}
    >
      <Stack gap="md">
        <Text size="sm">{t('what')}</Text>
        <TextInput
          label={t('text')}
          placeholder={t('textExample')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={200}
          error={fieldError(mark.error, 'text')}
        />
        <TimeField label={tWord('time')} value={at} onChange={setAt} error={fieldError(mark.error, 'at')} />
        <TextInput
          type="url"
          label={t('href')}
          placeholder={t('hrefExample')}
          value={href}
          onChange={(event) => setHref(event.currentTarget.value)}
          maxLength={2000}
          error={fieldError(mark.error, 'href')}
        />
      </Stack>
    </FormDrawer>
  );
};
