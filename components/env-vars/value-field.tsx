'use client';

import { Anchor, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { doubtOf } from '@/lib/env-vars/kinds';
import type { Kind } from '@/lib/env-vars/schema';
import { looksSecret } from '@/lib/values/secret';
import classes from './env-vars.module.css';
import { FIELDS, fitsField, TextField } from './kind-fields';
import { lineBreaksOf, withLineBreaksOf } from './line-breaks';
import { SecretField } from './secret-field';

interface ValueFieldProps {
  name: string;
  kind: Kind;
  /** Dots instead of letters. */
  secret: boolean;
  /** The value as it is there; empty where it is not known or there is none. */
  model: string;
  text: string;
  onText: (text: string) => void;
  /** Puts `text` into the field of a secret anew. */
  seed?: number;
  /** The server's doubts are told elsewhere: not twice. */
  doubtsTold: boolean;
  /** Why the server refused it. */
  error?: string | undefined;
  onShown?: (shown: boolean) => void;
}

type HintsProps = Pick<ValueFieldProps, 'name' | 'secret' | 'model' | 'text' | 'doubtsTold'>;

/** What the text looks like as one types: guesses, in the server's words. */
const Hints = ({ name, secret, model, text, doubtsTold }: HintsProps) => {
  const t = useTranslations('env.field');
  const doubt = text === '' || doubtsTold ? null : doubtOf(name, text);
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return (
    <div aria-live="polite" className={classes.hints}>
      {doubt && (
        <div className={classes.problem}>
          <IconAlertTriangle size={14} aria-hidden />
          <span>{doubt}</span>
        </div>
      )}
      {text !== text.trim() && !(lines > 1 && text.trimEnd() === text.replace(/\n$/, '')) && (
        <Text size="xs" c="dimmed">
          {t('edges')}
        </Text>
      )}
      {lines > 1 && (
        <Text size="xs" c="dimmed">
          {t('lines', { count: lines, last: text.endsWith('\n') ? 'yes' : 'no' })}
        </Text>
      )}
      {lineBreaksOf(model) !== 'lf' && (
        <Text size="xs" c="dimmed">
          {t(lineBreaksOf(model) === 'crlf' ? 'crlf' : 'mixedBreaks')}
        </Text>
      )}
      {!secret && looksSecret(text) && (
        <Text size="xs" c="dimmed">
          {t('looksSecret')}
        </Text>
      )}
    </div>
  );
};

/** The editor for a value: by its kind, or as plain text; dots for a secret. */
export const ValueField = ({ name, kind, secret, model, text, onText, ...rest }: ValueFieldProps) => {
  const t = useTranslations('env');
  const [plain, setPlain] = useState(false);
  const fits = fitsField(kind, text);
  const asText = kind === 'text' || plain || !fits;
  // A field gives LF back where the value had CR LF.
  const write = (typed: string) => onText(withLineBreaksOf(model, typed));
  const Field = asText ? TextField : FIELDS[kind];
  const label = t('field.value');
  return (
    <div>
      {secret ? (
        <SecretField
          label={label}
          description={t('field.secret')}
          error={rest.error}
          initial={text}
          onChange={write}
          {...(rest.seed !== undefined && { seed: rest.seed })}
          {...(rest.onShown && { onShown: rest.onShown })}
        />
      ) : (
        <Field
          label={label}
          description={t(`fieldHint.${asText ? 'text' : kind}`)}
          error={rest.error}
          model={model}
          text={text}
          onText={write}
        />
      )}
      <Hints name={name} secret={secret} model={model} text={text} doubtsTold={rest.doubtsTold} />
      {!secret && kind !== 'text' && (fits || plain) && (
        <Group justify="flex-end" mt={2}>
          <Anchor component="button" type="button" size="xs" onClick={() => setPlain(!plain)}>
            {plain ? t('field.byKind', { kind: t(`kind.${kind}`) }) : t('field.asText')}
          </Anchor>
        </Group>
      )}
    </div>
  );
};
