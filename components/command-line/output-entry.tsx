'use client';

import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { confirmationAsked } from '@/components/patterns/confirmation-asked';
import { Dimmed, SmallNote } from '@/components/patterns/dimmed';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { UndoConfirmation } from '@/components/patterns/undo-confirmation';
import { UndoOutcome } from '@/components/patterns/undo-outcome';
import { useFormat } from '@/components/patterns/use-format';
import { useUndo } from '@/components/patterns/use-undo';
import { ApiProblem } from '@/lib/api-client';
import type { commandLineContracts, LineKey } from '@/lib/command-line/schema';
import type { Result } from '@/lib/contract';
import classes from './command-line.module.css';
import { PageReference } from './page-reference';
import { ReplyView } from './reply-view';

export type Ran = Result<typeof commandLineContracts.run>;

/** A line that was run, or refused. */
export interface Output {
  id: string;
  /** ISO time. */
  at: string;
  ran: Ran | null;
  error: Error | null;
}

/** The line of a refusal, where the server names it. */
const lineOf = (error: Error | null): string | null => {
  const line = error instanceof ApiProblem ? (error.document as { line?: unknown }).line : null;
  return typeof line === 'string' ? line : null;
};

/** Why a command was refused, and which page does its job. */
const Refused = ({ error }: { error: Error }) => {
  const isRefused = error instanceof ApiProblem && error.code === 'command_refused';
  if (!isRefused) return <ProblemAlert error={error} />;
  const { page } = error.document as { page?: unknown };
  return (
    <Alert color="orange" role="alert" title={error.title ?? error.code}>
      <Text size="sm">{error.message}</Text>
      <PageReference page={typeof page === 'string' ? page : null} />
    </Alert>
  );
};

/** A key with its type and TTL. */
export const KeyFacts = ({ of }: { of: LineKey }) => {
  const t = useTranslations('commandLine');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { key, keyId, family, type, ttlSeconds } = of;
  const isThere = type !== null && type !== 'none';
  return (
    <Group gap={8}>
      {keyId && isThere ? <KeyLink keyId={keyId}>{key}</KeyLink> : <KeyText>{key}</KeyText>}
      <SmallNote>
        {[
          type === 'none' ? t('missing') : type,
          isThere &&
            (ttlSeconds === null ? tWord('neverExpires') : t('ttl', { left: format.duration(ttlSeconds) })),
          family,
        ]
          .filter(Boolean)
          .join(' · ')}
      </SmallNote>
    </Group>
  );
};

const UndoLine = ({ ran }: { ran: Ran }) => {
  const t = useTranslations('commandLine.undo');
  const tWord = useTranslations('words');
  const undo = useUndo();
  const { auditId, undoUntil } = ran;
  const wanted = confirmationAsked(undo.error);
  if (!auditId || ran.kind === 'read') return null;
  if (!undoUntil) return <Text size="sm">{t(ran.undo === 'incomparable' ? 'incomparable' : 'none')}</Text>;
  if (undo.data) return <UndoOutcome {...undo.data} />;
  return (
    <>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconArrowBackUp size={14} aria-hidden />}
          loading={undo.isPending}
          onClick={() => undo.mutate({ auditId })}
        >
          {tWord('undo')}
        </Button>
        <Dimmed size="xs">{t.rich('until', { time: () => <RelativeTime at={undoUntil} /> })}</Dimmed>
      </Group>
      {wanted !== null ? (
        <UndoConfirmation wanted={wanted} onConfirm={(confirm) => undo.mutate({ auditId, confirm })} />
      ) : (
        <ProblemAlert error={undo.error} />
      )}
    </>
  );
};

/** One line with its answer. */
export const OutputEntry = ({ output }: { output: Output }) => {
  const t = useTranslations('commandLine');
  const format = useFormat();
  const { ran, error, at } = output;
  return (
    <li className={classes.entry}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <code className={classes.line}>
          <HostileText max={2000}>{ran?.line ?? lineOf(error) ?? t('refusedLine')}</HostileText>
        </code>
        <Dimmed size="xs" style={{ whiteSpace: 'nowrap' }}>
          {ran && `${format.ms(ran.durationMs)} · `}
          <RelativeTime at={at} />
        </Dimmed>
      </Group>
      {error && <Refused error={error} />}
      {ran?.type && (
        <>
          <ReplyView type={ran.type} reply={ran.reply} label={t('reply.of', { line: ran.line })} />
          {ran.truncated && (
            <Badge color="orange" mt={4}>
              {t('reply.truncated')}
            </Badge>
          )}
        </>
      )}
      {ran?.keys.map((key, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: masked names may be equal
        <KeyFacts key={i} of={key} />
      ))}
      {ran && <UndoLine ran={ran} />}
    </li>
  );
};
