'use client';

import { Alert, Button, Divider, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type FormEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { ApprovalNotice } from './approval-notice';
import classes from './change-drawer.module.css';
import { useConnectionOrNull } from './connection';
import { Drawer, type DrawerWidth } from './drawer';
import { ImpossibleAlert, useImpossible } from './impossible';
import { ProblemAlert } from './problem-alert';
import { ConfirmField } from './undo-confirmation';

/** What every change takes in addition to its own fields. */
export interface ChangeWords {
  reason?: string;
  confirm?: string;
}

export interface ChangeDrawerProps {
  /**
   * The operationId of its effect on this page's connection. The form is disabled, with the reason, where that cannot
   * work.
   */
  operation?: string | undefined;
  opened: boolean;
  onClose: () => void;
  /** A field of the address opens and closes it. */
  inAddress?: boolean;
  /** "Revoke 2 sessions of liwei, toni". */
  title: ReactNode;
  /** The consequence as text, with numbers. */
  children: ReactNode;
  /** What the change leaves valid: "liwei's Google refresh token (18 d)". May contain options. */
  staysValid?: ReactNode;
  /** How `staysValid` is introduced: `valid` for sessions and tokens, `asItIs` for anything else. */
  stays?: 'valid' | 'asItIs';
  /** The button: verb and object, "Revoke 2 sessions". */
  verb: string;
  /** Red button: data is lost or a user is signed out. */
  destructive?: boolean;
  /** It deletes, or changes more than one thing: on production the connection's id must be typed. */
  needsConfirmation?: boolean;
  /** The id to type, if the server asked for it. */
  confirm?: string | null;
  /** `false` for the few changes that take no reason; `required` where others will read it. */
  withReason?: boolean | 'required';
  /** While a preview is loading, or if there is nothing to change. */
  blocked?: boolean;
  /** Allowed on a read-only connection, since it changes nothing in this Redis. */
  onReadOnly?: boolean;
  pending: boolean;
  error: unknown;
  onSubmit: (words: ChangeWords) => void;
  /** Another drawer is above it: Esc closes that one only. */
  isBelow?: boolean;
  /** `form` by default. */
  width?: DrawerWidth;
  /** After the closing animation: to clear the fields. */
  onClosed?: () => void;
}

/** The drawer of every change: consequence, reason, and a typed confirmation on production. */
export const ChangeDrawer = (props: ChangeDrawerProps) => {
  const t = useTranslations('patterns.change');
  return (
    <Drawer
      opened={props.opened}
      onClose={props.onClose}
      locked={props.pending}
      closeOnEscape={!props.isBelow}
      inAddress={props.inAddress ?? false}
      width={props.width ?? 'form'}
      {...(props.onClosed && { onExitTransitionEnd: props.onClosed })}
      title={props.title}
      closeButtonProps={{ 'aria-label': t('close'), disabled: props.pending }}
    >
      {/* Mounted again each time it opens, so a reason is never reused for another change. */}
      {props.opened && <ChangeForm {...props} />}
    </Drawer>
  );
};

/** Not the field of a file: it is hidden behind its button. */
const FIELDS =
  'input:not([type="radio"], [type="checkbox"], [type="file"], [type="hidden"], :disabled), textarea:not(:disabled)';

const ChangeForm = (props: ChangeDrawerProps) => {
  const t = useTranslations('patterns.change');
  const tWord = useTranslations('words');
  const connection = useConnectionOrNull();
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const isAsked = props.needsConfirmation && connection?.environment === 'production';
  const wanted = props.confirm ?? (isAsked ? connection.id : null);
  const readOnly = connection?.readOnly === true && !props.onReadOnly;
  const impossible = useImpossible(readOnly ? undefined : props.operation);
  const form = useRef<HTMLFormElement>(null);
  // The drawer begins at its first field, not at its buttons. Mantine looks for this attribute.
  useLayoutEffect(() => {
    if (!form.current?.querySelector('[data-autofocus]'))
      form.current?.querySelector(FIELDS)?.setAttribute('data-autofocus', 'true');
  }, []);
  const needsReason = props.withReason === 'required';
  const isFilled = (!needsReason || reason.trim() !== '') && (wanted === null || typed.trim() === wanted);
  const ready = !readOnly && !impossible && !props.blocked && isFilled;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready || props.pending) return;
    const words: ChangeWords = {};
    if (reason.trim()) words.reason = reason.trim();
    if (wanted) words.confirm = wanted;
    props.onSubmit(words);
  };
  return (
    <form ref={form} onSubmit={submit}>
      <Stack gap="md" className={classes.form}>
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
        {impossible && <ImpossibleAlert why={impossible} />}
        {!props.error && <ApprovalNotice operation={props.operation} />}
        {props.withReason !== false && (
          <Textarea
            label={tWord('reason')}
            required={needsReason}
            description={t('reasonHint')}
            placeholder={t('reasonExample')}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            maxLength={500}
            autosize
            minRows={1}
            maxRows={5}
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
            {tWord('cancel')}
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

// Moves the focus to the error, so keyboard and screen reader users notice it.
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
