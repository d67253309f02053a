'use client';

import { Anchor, Box, Group } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ClipboardEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { Dimmed } from '@/components/patterns/dimmed';
import { pastedLines } from '@/components/patterns/exact-text';
import { lineBreaksOf, withLineBreaksOf } from '@/components/patterns/line-breaks';
import { useSentences } from '@/components/patterns/use-sentences';
import { doubtOf } from '@/lib/env/kinds';
import type { Kind } from '@/lib/env/schema';
import { looksSecret } from '@/lib/keyspace/mask';
import classes from './env.module.css';
import { FIELDS, fitsField, TextField } from './kind-fields';
import { SecretField } from './secret-field';

interface ValueFieldProps {
  name: string;
  kind: Kind;
  /** Shown as dots. */
  secret: boolean;
  /** The stored value; empty if unknown or missing. */
  model: string;
  text: string;
  onText: (text: string) => void;
  /** A new value resets the secret's field to `text`. */
  seed?: number;
  /** The server's warnings are shown elsewhere, so the same check is not repeated here. */
  doubtsShown: boolean;
  /** Why the server refused it. */
  error?: string | undefined;
  onShown?: (shown: boolean) => void;
}

type HintsProps = Pick<ValueFieldProps, 'name' | 'secret' | 'model' | 'text' | 'doubtsShown'>;

/** Warnings about the text while it is typed, with the server's own checks. */
const Hints = ({ name, secret, model, text, doubtsShown }: HintsProps) => {
  const t = useTranslations('env.field');
  const translate = useSentences();
  const doubt = text === '' || doubtsShown ? null : doubtOf(name, text);
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return (
    <Box aria-live="polite" mt={5}>
      {doubt && (
        <div className={classes.problem}>
          <IconAlertTriangle size={14} aria-hidden />
          <span>{translate(doubt.message)}</span>
        </div>
      )}
      {text !== text.trim() && !(lines > 1 && text.trimEnd() === text.replace(/\n$/, '')) && (
        <Dimmed size="xs">{t('edges')}</Dimmed>
      )}
      {lines > 1 && (
        <Dimmed size="xs">{t('lines', { count: lines, last: text.endsWith('\n') ? 'yes' : 'no' })}</Dimmed>
      )}
      {secret && lineBreaksOf(model) !== 'lf' && (
        <Dimmed size="xs">{t(lineBreaksOf(model) === 'crlf' ? 'crlf' : 'mixedBreaks')}</Dimmed>
      )}
      {!secret && looksSecret(text) && <Dimmed size="xs">{t('looksSecret')}</Dimmed>}
    </Box>
  );
};

/** Editor for a value: by kind, as plain text, or as dots for a secret. */
export const ValueField = ({ name, kind, secret, model, text, onText, ...rest }: ValueFieldProps) => {
  const t = useTranslations('env');
  const tWord = useTranslations('words');
  const [plain, setPlain] = useState(false);
  const fits = fitsField(kind, text);
  const asText = kind === 'text' || plain || !fits;
  // Text fields return LF even if the value had CR LF.
  const write = (typed: string) => onText(withLineBreaksOf(model, typed));
  // A pasted value with several lines is edited as text from then on.
  const paste = (event: ClipboardEvent<HTMLElement>) => {
    const next = asText || secret || kind === 'list' ? null : pastedLines(event, text);
    if (next === null) return;
    const field = event.currentTarget;
    flushSync(() => {
      setPlain(true);
      onText(next);
    });
    field.querySelector('textarea')?.focus();
  };
  const Field = asText ? TextField : FIELDS[kind];
  const label = tWord('value');
  return (
    <div onPaste={paste}>
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
          onText={onText}
        />
      )}
      <Hints name={name} secret={secret} model={model} text={text} doubtsShown={rest.doubtsShown} />
      {!secret && kind !== 'text' && fits && (
        <Group justify="flex-end" mt={2}>
          <Anchor component="button" type="button" size="xs" onClick={() => setPlain(!plain)}>
            {plain ? t('field.byKind', { kind: t(`kind.${kind}`) }) : t('field.asText')}
          </Anchor>
        </Group>
      )}
    </div>
  );
};
