'use client';

import { Button, Stack, Text, TextInput } from '@mantine/core';
import { IconFlag } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { fieldError } from '@/components/patterns/field-error';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { TimeField } from '@/components/patterns/time-field';
import { useCommand } from '@/components/patterns/use-command';
import { useMay } from '@/components/patterns/viewer';
import { annotationContracts } from '@/lib/annotations/schema';

/** A button that adds a labelled line to the charts, for those who may. */
export const MarkDeploy = () => {
  const t = useTranslations('hitRates.mark');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const may = useMay('flags:toggle');
  const mark = useCommand(annotationContracts.create, id);
  const [opened, setOpened] = useState(false);
  const [text, setText] = useState('');
  const [href, setHref] = useState('');
  const [at, setAt] = useState('');
  if (!may) return null;
  const open = () => {
    setAt(new Date().toISOString());
    setOpened(true);
  };
  const clear = () => {
    setText('');
    setHref('');
  };
  return (
    <>
      <Button size="xs" variant="default" leftSection={<IconFlag size={14} aria-hidden />} onClick={open}>
        {t('title')}
      </Button>
      <FormDrawer
        opened={opened}
        onClose={() => setOpened(false)}
        onClosed={clear}
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
            data-autofocus
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
    </>
  );
};
