'use client';

import { Badge, Group, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { AS_TYPED, MONOSPACE } from '@/components/patterns/as-typed';
import { useSentences } from '@/components/patterns/use-sentences';
import { categoryOf } from '@/lib/env/categories';
import { kindOf, nameDoubtOf } from '@/lib/env/kinds';
import { NEW_NAME } from '@/lib/env/schema';
import { isSecretName } from '@/lib/keyspace/secret-name';

interface NameFieldProps {
  label: string;
  name: string;
  onName: (name: string) => void;
  /** Names in use. */
  taken: ReadonlySet<string>;
  error: string | undefined;
}

/** Why a variable cannot have this name; null if it can. An empty name is not a fault yet. */
export const useNameFault = (taken: ReadonlySet<string>): ((name: string) => string | null) => {
  const t = useTranslations('env.name');
  return (name) => {
    if (name === '') return null;
    if (!NEW_NAME.pattern.test(name)) return NEW_NAME.fault;
    return taken.has(name) ? t('taken') : null;
  };
};

/** Name input, checked as typed; shows the kind and category the name leads to. */
export const NameField = ({ label, name, onName, taken, error }: NameFieldProps) => {
  const t = useTranslations('env');
  const translate = useSentences();
  const fault = useNameFault(taken)(name);
  const doubt = fault === null && name !== '' ? nameDoubtOf(name) : null;
  return (
    <div>
      <TextInput
        label={label}
        description={t('name.hint')}
        placeholder="SMTP_TIMEOUT"
        value={name}
        onChange={(event) => onName(event.currentTarget.value.trim())}
        error={error ?? fault}
        maxLength={200}
        {...AS_TYPED}
        styles={MONOSPACE}
      />
      <div aria-live="polite">
        {name !== '' && fault === null && (
          <Group gap={6} mt={6}>
            <Badge>{t(`kind.${kindOf(name)}`)}</Badge>
            <Badge color="gray">{t(`category.${categoryOf(name)}.title`)}</Badge>
            {isSecretName(name) && <Badge color="orange">{t('name.secret')}</Badge>}
          </Group>
        )}
        {doubt && (
          <Text size="xs" mt={4} style={{ color: 'var(--kw-warn-text)' }}>
            {translate(doubt.message)}
          </Text>
        )}
      </div>
    </div>
  );
};
