'use client';

import { Alert } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { HostileText } from './hostile-text';

interface UnknownNameProps {
  /** That there is nothing of this name. */
  text: string;
  name: string;
  onClose: () => void;
}

/** The address names something that is not there. */
export const UnknownName = ({ text, name, onClose }: UnknownNameProps) => {
  const tWord = useTranslations('words');
  return (
    <Alert color="orange" mb="sm" withCloseButton onClose={onClose} closeButtonLabel={tWord('close')}>
      {text} <HostileText max={100}>{name}</HostileText>
    </Alert>
  );
};
