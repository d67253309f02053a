import { Button } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';

interface HistoryOfMissingProps {
  name: string;
  onHistory: (name: string) => void;
}

/** A deleted name has no row, but its history allows undoing the deletion. */
export const HistoryOfMissing = ({ name, onHistory }: HistoryOfMissingProps) => {
  const t = useTranslations('patterns');
  return (
    <Button
      variant="default"
      size="sm"
      leftSection={<IconHistory size={16} aria-hidden />}
      onClick={() => onHistory(name)}
    >
      {t('historyOfMissing', { name })}
    </Button>
  );
};
