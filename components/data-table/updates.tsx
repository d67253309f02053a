'use client';

import { Button, VisuallyHidden } from '@mantine/core';
import { useTranslations } from 'next-intl';
import classes from './data-table.module.css';

/** The number of waiting updates. Its announcement contains no number, so that it is read once, not with each answer. */
export const Updates = ({ count, onApply }: { count: number; onApply: () => void }) => {
  const t = useTranslations('dataTable');
  return (
    <>
      <VisuallyHidden role="status">{count > 0 && t('updatesWait')}</VisuallyHidden>
      {count > 0 && (
        <Button
          size="compact-xs"
          variant="light"
          className={`${classes.updates} ${classes.fixed}`}
          onClick={onApply}
        >
          {t('applyUpdates', { count })}
        </Button>
      )}
    </>
  );
};
