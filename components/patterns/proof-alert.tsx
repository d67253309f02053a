'use client';

import { Alert, Button, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useRef } from 'react';
import { CountFigures } from './count-figures';
import { TextLink } from './text-link';
import { useMay } from './viewer';

interface ProofAlertProps {
  title: string;
  /** What the server found when it verified the revocation. */
  proof: { matched: number; revoked: number; alreadyGone: number; remaining: number; unverified?: number };
  /** Further counts of this kind of revocation. */
  more?: { label: string; value: number }[];
  auditId: string | null;
  /** Text after "Redis was read again after the change." */
  note?: ReactNode;
  onClose: () => void;
  children?: ReactNode;
}

/** The verified result of a revocation: how many were revoked, and whether any remain. */
export const ProofAlert = ({
  title,
  proof,
  more = [],
  auditId,
  note,
  onClose,
  children,
}: ProofAlertProps) => {
  const t = useTranslations('patterns.proof');
  const tWord = useTranslations('words');
  const maySeeAudit = useMay('audit:view');
  const box = useRef<HTMLDivElement>(null);
  const rest = useRef<HTMLDivElement>(null);
  const clipboard = useClipboard();
  const { unverified = 0 } = proof;
  const clean = proof.remaining === 0 && unverified === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new proof scrolls into view
  useEffect(() => {
    // In newer browsers this returns a promise, which an effect must not return.
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [proof]);
  const figures = [
    { label: t('matched'), value: proof.matched },
    { label: t('revoked'), value: proof.revoked },
    { label: t('alreadyGone'), value: proof.alreadyGone },
    { label: t('remaining'), value: proof.remaining },
    { label: t('unverified'), value: unverified },
    ...more,
  ].filter(({ value }) => value > 0);
  const checked = t(unverified > 0 ? 'notChecked' : 'checked');
  /** All that the alert says: what stays valid belongs to the proof. */
  const copied = (): string =>
    [
      title,
      ...figures.map(({ label, value }) => `${label}: ${value}`),
      // biome-ignore lint/performance/useDomNodeTextContent: with a line for each line on the screen
      ...[...(rest.current?.children ?? [])].map((part) => (part as HTMLElement).innerText),
      checked,
      ...(auditId ? [`${tWord('auditEntry')}: ${auditId}`] : []),
    ].join('\n');
  return (
    <Alert
      ref={box}
      mb="md"
      role="status"
      color={clean ? 'green' : 'orange'}
      icon={clean ? <IconCircleCheck size={18} /> : <IconAlertTriangle size={18} />}
      title={title}
      withCloseButton
      closeButtonLabel={t('close')}
      onClose={onClose}
    >
      <CountFigures figures={figures} />
      <div ref={rest}>{children}</div>
      <Text size="sm" mt={children ? 'xs' : 0}>
        {checked} {note}{' '}
        {maySeeAudit && auditId && (
          <TextLink href={`/audit?entry=${auditId}`} underline="always">
            {tWord('auditEntry')}
          </TextLink>
        )}
      </Text>
      <Button size="compact-sm" variant="default" mt="xs" onClick={() => clipboard.copy(copied())}>
        {clipboard.copied ? tWord('copied') : t('copy')}
      </Button>
    </Alert>
  );
};
