'use client';

import { Button, VisuallyHidden } from '@mantine/core';
import { useTranslations } from 'next-intl';

/** The number of waiting updates. Its announcement contains no number, so that it is read once, not with each answer. */
export const Updates = ({ count, onApply }: { count: number; onApply: () => void }) => {
  const t = useTranslations('dataTable');
  return (
    <>
      <VisuallyHidden role="status">{count > 0 && t('updatesWait')}</VisuallyHidden>
      {count > 0 && (
        <Button size="compact-xs" variant="light" flex="none" onClick={onApply}>
          {t('applyUpdates', { count })}
        </Button>
      )}
    </>
  );
};
