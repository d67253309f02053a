'use client';

import { Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { Invalidation } from './invalidation';
import { keyIdsOf } from './key-bytes';

interface InvalidateKeysProps {
  opened: boolean;
  onClose: () => void;
  onJob: (jobId: string) => void;
}

const TYPING_MS = 400;

/** Deletes exactly the keys that are named. */
export const InvalidateKeys = ({ opened, onClose, onJob }: InvalidateKeysProps) => {
  const t = useTranslations('caches');
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text, TYPING_MS);
  const { keyIds, tooMany } = useMemo(() => keyIdsOf(settled), [settled]);
  const target = useMemo(() => (keyIds.length === 0 || tooMany ? null : { keyIds }), [keyIds, tooMany]);
  const close = () => {
    setText('');
    onClose();
  };
  return (
    <Invalidation
      opened={opened}
      title={t('keysTitle')}
      target={target}
      unsettled={text !== settled}
      onClose={close}
      onJob={(jobId) => {
        setText('');
        onJob(jobId);
      }}
    >
      {() => (
        <Textarea
          label={t('keys')}
          description={t('keysHint')}
          error={tooMany ? t('tooManyKeys') : null}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          data-autofocus
          minRows={3}
          maxRows={12}
          spellCheck={false}
          autoComplete="off"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
      )}
    </Invalidation>
  );
};
