'use client';

import { Alert, Button, Divider, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import classes from './change-drawer.module.css';
import { useConnectionOrNull } from './connection';
import { Drawer } from './drawer';
import { ProblemAlert } from './problem-alert';
import { ConfirmField } from './undo-confirmation';

/** What every change takes besides its own fields; absent when not given. */
export interface ChangeWords {
  reason?: string;
  confirm?: string;
}

export interface ChangeDrawerProps {
  opened: boolean;
  onClose: () => void;
  /** A field of the address opens and closes it. */
  inAddress?: boolean;
  /** "Revoke 2 sessions of liwei, toni". */
  title: ReactNode;
  /** In words: what will happen, and to how many. */
  children: ReactNode;
  /** What will not happen: "liwei's Google refresh token (18 d)". May hold a choice. */
  staysValid?: ReactNode;
  /** What it is that stays: what lets somebody in is `valid`, everything else `asItIs`. */
  stays?: 'valid' | 'asItIs';
  /** The verb and its object: "Revoke 2 sessions". Never "OK". */
  verb: string;
  /** Red button: something is lost or someone is thrown out. */
  destructive?: boolean;
  /** It deletes or reaches more than one thing: on production the connection's id must be typed. */
  needsConfirmation?: boolean;
  /** The id that is to be typed, where the server asked for it. */
  confirm?: string | null;
  /** `false` for the few changes that take no reason. */
  withReason?: boolean;
  /** While the server counts what would happen, or when there is nothing to do. */
  blocked?: boolean;
  /** It changes nothing on this Redis: a read-only connection takes it too. */
  onReadOnly?: boolean;
  pending: boolean;
  error: unknown;
  onSubmit: (words: ChangeWords) => void;
  /** Wider than the usual 420 px, for what is compared side by side. */
  size?: number;
  /** When it is out of sight: to forget what was typed. */
  onClosed?: () => void;
}

/** Every change goes through this: the consequence in words, a reason, a typed confirmation on production. */
export const ChangeDrawer = (props: ChangeDrawerProps) => {
  const t = useTranslations('patterns.change');
  return (
    <Drawer
      opened={props.opened}
      onClose={props.onClose}
      locked={props.pending}
      inAddress={props.inAddress ?? false}
      size={props.size ?? 420}
      {...(props.onClosed && { onExitTransitionEnd: props.onClosed })}
      title={props.title}
      closeButtonProps={{ 'aria-label': t('close'), disabled: props.pending }}
    >
      {/* Mounted anew each time it opens, so that a reason is never carried to another change. */}
      {props.opened && <ChangeForm {...props} />}
    </Drawer>
  );
};

const ChangeForm = (props: ChangeDrawerProps) => {
  const t = useTranslations('patterns.change');
  const connection = useConnectionOrNull();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const isAsked = props.needsConfirmation && connection?.environment === 'production';
  const wanted = props.confirm ?? (isAsked ? connection.id : null);
  const readOnly = connection?.readOnly === true && !props.onReadOnly;
  const ready = !readOnly && !props.blocked && (wanted === null || typed.trim() === wanted);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready || props.pending) return;
    const words: ChangeWords = {};
    if (reason.trim()) words.reason = reason.trim();
    if (wanted) words.confirm = wanted;
    props.onSubmit(words);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" component="div">
          {props.children}
        </Text>
        {props.staysValid && (
          <Alert color="orange" icon={<IconInfoCircle size={18} />}>
            <Text size="sm" component="div">
              <strong>{t(`stays.${props.stays ?? 'valid'}`)}</strong> {props.staysValid}
            </Text>
          </Alert>
        )}
        {readOnly && (
          <Alert color="orange">
            {t(connection.role === 'replica' ? 'replica' : 'readOnly', { name: connection.name })}
          </Alert>
        )}
        {props.withReason !== false && (
          <Textarea
            label={t('reason')}
            description={t('reasonHint')}
            placeholder={t('reasonExample')}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            maxLength={500}
            autosize
            minRows={1}
            maxRows={5}
            data-autofocus
          />
        )}
        {wanted && (
          <>
            <Divider />
            <ConfirmField wanted={wanted} typed={typed} onType={setTyped} autoFocus={props.confirm != null} />
          </>
        )}
        <ProblemFocus error={props.error} />
        <Group justify="flex-end" gap="sm" className={classes.actions}>
          <Button variant="default" onClick={props.onClose} disabled={props.pending}>
            {t('cancel')}
          </Button>
          <Button
            type="submit"
            color={props.destructive ? 'red' : undefined}
            disabled={!ready}
            loading={props.pending}
          >
            {props.verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

// Whoever uses a screen reader or a keyboard is taken to the refusal, not left on a button that came back.
const ProblemFocus = ({ error }: { error: unknown }) => {
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  useEffect(() => {
    if (error) box?.focus();
  }, [error, box]);
  if (!error) return null;
  return (
    <div ref={setBox} tabIndex={-1}>
      <ProblemAlert error={error} />
    </div>
  );
};
