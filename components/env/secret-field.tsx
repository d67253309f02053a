'use client';

import { Button, Group, Select, Textarea } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { AS_TYPED } from '@/components/patterns/as-typed';
import { useWhenHidden } from '@/components/patterns/use-hidden';
import { SHOWN_MS } from '@/components/patterns/use-reveal';
import classes from './env.module.css';

/** Characters; multiples of four, because base64 encodes three bytes as four of them. */
const LENGTHS = ['16', '24', '32', '48', '64', '128'];
const DEFAULT_LENGTH = '48';

/** Random base64url, 6 bits a character: it needs no quotes in a shell or an address. */
const generated = (length: number): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array((length / 4) * 3))))
    .replaceAll('+', '-')
    .replaceAll('/', '_');

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
  const tWord = useTranslations('words');
  const input = useRef<HTMLTextAreaElement>(null);
  const [shown, setShown] = useState(false);
  const [length, setLength] = useState(DEFAULT_LENGTH);
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
    const text = generated(Number(length));
    if (input.current) input.current.value = text;
    props.onChange(text);
    // In the field only: the preview of the change would write it into the markup.
    setShown(true);
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
        <Select
          aria-label={tWord('length')}
          size="xs"
          w={70}
          data={LENGTHS}
          value={length}
          onChange={(next) => setLength(next ?? DEFAULT_LENGTH)}
          allowDeselect={false}
        />
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
