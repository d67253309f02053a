'use client';

import { Radio, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useLinks } from './links';

/** How a user gets a password: by a link that is mailed or passed on, or from the admin. */
export type Way = 'mail' | 'link' | 'password';

/** The ways that work here, the best first. */
export const useWays = (allowed: readonly Way[] = ['mail', 'link', 'password']): Way[] => {
  const { canMail } = useLinks();
  return allowed.filter((way) => way !== 'mail' || canMail);
};

interface WayFieldProps {
  ways: readonly Way[];
  value: Way;
  onChange: (way: Way) => void;
}

export const WayField = ({ ways, value, onChange }: WayFieldProps) => {
  const t = useTranslations('users.way');
  return (
    <Radio.Group label={t('label')} value={value} onChange={(way) => onChange(way as Way)}>
      <Stack gap="xs" mt={6}>
        {ways.map((way) => (
          <Radio key={way} value={way} label={t(way)} description={t(`${way}Hint`)} />
        ))}
      </Stack>
    </Radio.Group>
  );
};
