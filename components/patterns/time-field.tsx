'use client';

import { Input, SegmentedControl, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useState } from 'react';
import { epochOf } from '@/lib/format';
import { useNow } from './now';
import classes from './time-field.module.css';
import { useFormat } from './use-format';
import { useTimeZone } from './use-time-zone';
import { inputText, offsetText, readInput } from './zoned-time';

const UTC = 'UTC';
type Choice = 'local' | 'utc';

/** The zone of this browser's inputs, shared by all of them, because users who work in UTC do so everywhere. */
const useInputZone = () => {
  const own = useTimeZone();
  const [choice, setChoice] = useLocalStorage<Choice>({ key: 'keyward-input-zone', defaultValue: 'local' });
  return { own, zone: own === null || choice === 'utc' ? UTC : own, choice, setChoice };
};

/** The input's text, which is not always a time while somebody types, and its meaning. */
const useText = (value: string, zone: string, onChange: (iso: string) => void) => {
  const [text, setText] = useState('');
  const { doubt } = readInput(text, zone);
  useEffect(() => {
    setText((now) => {
      const given = epochOf(value);
      return given === readInput(now, zone).at ? now : inputText(given, zone);
    });
  }, [value, zone]);
  const type = (typed: string) => {
    setText(typed);
    const { at: time } = readInput(typed, zone);
    onChange(time === null ? '' : new Date(time).toISOString());
  };
  return { text, at: epochOf(value), doubt, type };
};

interface TimeFieldProps {
  label: string;
  /** ISO time, '' for none. */
  value: string;
  /** ISO time in UTC; '' while the typed text is not a time. */
  onChange: (iso: string) => void;
  error?: ReactNode;
  /** For a row of filters: the label is inside, the zone is a button. */
  compact?: boolean;
  size?: 'xs' | 'sm';
  autoFocus?: boolean;
}

/** A date and time in the user's zone or in UTC, with the zone's name and the time in the other one. */
export const TimeField = ({
  label,
  value,
  onChange,
  error,
  compact = false,
  size = 'sm',
  autoFocus,
}: TimeFieldProps) => {
  const t = useTranslations('patterns.time');
  const format = useFormat();
  const now = useNow() ?? 0;
  const { own, zone, choice, setChoice } = useInputZone();
  const { text, at, doubt, type } = useText(value, zone, onChange);
  const named = own === null ? UTC : t('zone', { zone: own, offset: offsetText(at ?? now, own) });
  const warning = doubt && t(doubt, { time: inputText(at, zone).slice(11) });
  const input = {
    type: 'datetime-local',
    step: 'any',
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => type(event.currentTarget.value),
    ...(autoFocus && { 'data-autofocus': true }),
  };
  const hasChoice = own !== null && own !== UTC;
  if (compact)
    return (
      <TextInput
        {...input}
        size={size}
        aria-label={label}
        title={warning ?? t('in', { label, zone: choice === 'utc' ? UTC : named })}
        leftSection={<span className={classes.inside}>{label}</span>}
        leftSectionWidth={46}
        error={error}
        rightSection={
          hasChoice && (
            <UnstyledButton
              className={classes.zone}
              aria-label={t('switch', { zone: choice === 'utc' ? named : UTC })}
              title={t('switch', { zone: choice === 'utc' ? named : UTC })}
              onClick={() => setChoice(choice === 'utc' ? 'local' : 'utc')}
            >
              {choice === 'utc' ? UTC : offsetText(at ?? now, zone)}
            </UnstyledButton>
          )
        }
        rightSectionWidth={hasChoice ? 58 : 10}
        w={hasChoice ? 290 : 246}
      />
    );
  return (
    <Stack gap={4}>
      <TextInput
        {...input}
        label={label}
        error={error}
        description={
          at !== null && hasChoice && t('same', { time: format.absolute(at, choice === 'utc' ? own : UTC) })
        }
        inputWrapperOrder={['label', 'input', 'error', 'description']}
      />
      {hasChoice ? (
        <SegmentedControl
          size="xs"
          aria-label={t('choose', { label })}
          value={choice}
          onChange={(next) => setChoice(next as Choice)}
          data={[
            { value: 'local', label: named },
            { value: 'utc', label: UTC },
          ]}
        />
      ) : (
        <Input.Description>{named}</Input.Description>
      )}
      {warning && (
        <Text size="xs" c="var(--kw-warn-text)" role="status">
          {warning}
        </Text>
      )}
    </Stack>
  );
};
