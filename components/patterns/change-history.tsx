'use client';

import { Badge, Button, Group, Stack, Text, Timeline } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { onDemand } from '@/components/patterns/on-demand';
import type { SubjectKind } from '@/lib/audit/schema';
import { visibleText } from '@/lib/visible-text';
import { AllChanges } from './all-changes';
import { confirmationAsked } from './confirmation-asked';
import { Dimmed } from './dimmed';
import { EmptyState } from './empty-state';
import { HostileText } from './hostile-text';
import { ProblemAlert } from './problem-alert';
import { RelativeTime } from './relative-time';
import { Strong } from './strong';
import { Unanswered } from './unanswered';
import { UndoConfirmation } from './undo-confirmation';
import { UndoAlert } from './undo-outcome';
import { useUndo } from './use-undo';

const Drawer = onDemand(async () => (await import('./drawer')).Drawer);

/** The fields that the histories of all domains have in common: one audit entry each. */
interface Step {
  auditId: string;
  at: string;
  actor: string;
  reason: string | null;
  outcome: string;
  undoneBy: string | null;
}

interface HistoryDrawerProps {
  /** The thing's name; null while the drawer is closed. */
  name: string | null;
  /** What it is in the audit log. */
  subject?: SubjectKind;
  onClose: () => void;
  children: (name: string) => ReactNode;
}

export const HistoryDrawer = ({ name, subject, onClose, children }: HistoryDrawerProps) => {
  const tWord = useTranslations('words');
  return (
    <Drawer
      opened={name !== null}
      onClose={onClose}
      inAddress
      width="detail"
      title={name === null ? '' : tWord('historyOf', { name: visibleText(name, 60) })}
    >
      {name !== null && subject && (
        <Text component="div" mb="md">
          <AllChanges kind={subject} name={name} />
        </Text>
      )}
      {name !== null && children(name)}
    </Drawer>
  );
};

interface ChangeHistoryProps<T extends Step> {
  query: Pick<UseQueryResult<{ items: T[]; nextCursor: string | null }>, 'data' | 'error' | 'refetch'>;
  /** The action as text. */
  title: (step: T) => ReactNode;
  /** The old and the new value. */
  difference: (step: T) => ReactNode;
  /** The listed step that can be undone, if any. */
  undoable: (steps: readonly T[]) => T | null;
  undoLabel?: (step: T) => string;
  empty: { title: string; text: string };
}

/** Who changed something, when, how and why, newest first. The newest change can be undone. */
export const ChangeHistory = <T extends Step>(props: ChangeHistoryProps<T>) => {
  const t = useTranslations('patterns.history');
  const tWord = useTranslations('words');
  const { query, title, difference, empty } = props;
  const undo = useUndo();
  if (!query.data) return <Unanswered query={query} height={80} />;
  const { items, nextCursor } = query.data;
  const undoable = props.undoable(items);
  const wanted = confirmationAsked(undo.error);
  return (
    <Stack gap="md">
      {undo.error && wanted === null && <ProblemAlert error={undo.error} />}
      {undo.data && <UndoAlert {...undo.data} />}
      {items.length === 0 && <EmptyState title={empty.title}>{empty.text}</EmptyState>}
      <Timeline bulletSize={12} lineWidth={2} active={items.length}>
        {items.map((step) => (
          <Timeline.Item key={`${step.auditId} ${step.at}`}>
            <StepHead step={step}>{title(step)}</StepHead>
            {difference(step)}
            <StepFoot step={step} />
            {step === undoable && wanted !== null && (
              <UndoConfirmation
                wanted={wanted}
                onConfirm={(confirm) => undo.mutate({ auditId: step.auditId, confirm })}
              />
            )}
            {step === undoable && wanted === null && (
              <Button
                size="compact-sm"
                variant="default"
                mt={6}
                loading={undo.isPending}
                onClick={() => undo.mutate({ auditId: step.auditId })}
              >
                {props.undoLabel?.(step) ?? tWord('undo')}
              </Button>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
      {nextCursor !== null && <Dimmed size="xs">{t('older')}</Dimmed>}
    </Stack>
  );
};

/** "from → to". */
export const FromTo = ({ from, to }: { from: ReactNode; to: ReactNode }) => {
  const t = useTranslations('patterns.history');
  return (
    <Group gap={6} align="baseline" mt={3}>
      {from}
      <span role="img" aria-label={t('to')}>
        →
      </span>
      {to}
    </Group>
  );
};

const StepHead = ({ step, children }: { step: Step; children: ReactNode }) => {
  const t = useTranslations('patterns.history');
  return (
    <Group gap={6}>
      <Strong span>{children}</Strong>
      {step.outcome === 'pending' && <Badge color="orange">{t('pending')}</Badge>}
      {step.undoneBy && <Badge color="gray">{t('undone')}</Badge>}
    </Group>
  );
};

const StepFoot = ({ step }: { step: Step }) => (
  <>
    <Text size="sm" mt={4} component="div">
      <HostileText max={160}>{step.actor}</HostileText> · <RelativeTime at={step.at} />
    </Text>
    {step.reason && (
      <Dimmed component="div">
        <HostileText max={500}>{step.reason}</HostileText>
      </Dimmed>
    )}
  </>
);
