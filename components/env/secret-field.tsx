'use client';

import { Button, Group, Textarea } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { AS_TYPED } from '@/components/patterns/as-typed';
import { useWhenHidden } from '@/components/patterns/use-hidden';
import { SHOWN_MS } from '@/components/patterns/use-reveal';
import classes from './env.module.css';

const GENERATED_BYTES = 32;

/** 256 random bits as base64url: 43 letters that need no quotes in a shell or an address. */
const generated = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(GENERATED_BYTES))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

interface SecretFieldProps {
  label: string;
  description?: ReactNode;
  error?: ReactNode;
  /** Content when mounted, set again whenever `seed` changes. */
  initial: string;
  seed?: number;
  onChange: (text: string) => void;
  onShown?: (shown: boolean) => void;
}

/**
 * Multi-line field that shows dots; the text can be shown for at most 30 s. Uncontrolled on purpose: React would copy
 * a controlled field's text into the markup.
 */
export const SecretField = (props: SecretFieldProps) => {
  const { initial, seed = 0, onShown } = props;
  const t = useTranslations('env.secretField');
  const input = useRef<HTMLTextAreaElement>(null);
  const [shown, setShown] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new seed resets the field
  useEffect(() => {
    if (input.current) input.current.value = initial;
  }, [seed]);
  const show = useCallback(
    (next: boolean) => {
      setShown(next);
      onShown?.(next);
    },
    [onShown],
  );
  const generate = () => {
    const text = generated();
    if (input.current) input.current.value = text;
    props.onChange(text);
  };
  const hide = useCallback(() => show(false), [show]);
  useWhenHidden(shown, hide);
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(hide, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown, hide]);
  return (
    <div className={classes.secret} data-hidden={!shown || undefined}>
      <Textarea
        ref={input}
        label={props.label}
        description={props.description}
        error={props.error}
        rows={3}
        resize="vertical"
        onChange={(event) => props.onChange(event.currentTarget.value)}
        {...AS_TYPED}
        data-autofocus
      />
      <Group justify="flex-end" mt={4} gap="xs">
        <Button size="compact-xs" variant="subtle" color="gray" onClick={generate}>
          {t('generate')}
        </Button>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={shown ? <IconEyeOff size={14} aria-hidden /> : <IconEye size={14} aria-hidden />}
          aria-pressed={shown}
          onClick={() => show(!shown)}
        >
          {t(shown ? 'hide' : 'show')}
        </Button>
      </Group>
    </div>
  );
};
