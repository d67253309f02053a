'use client';

import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { ApiProblem } from '@/lib/api-client';
import { onDemand } from './on-demand';

const AskApproval = onDemand(async () => (await import('./ask-approval')).AskApproval);

interface ProblemAlertProps {
  error: unknown;
  onRetry?: () => void;
}

const ADVICE = new Set([
  'approval_required',
  'auth',
  'bad_input',
  'busy',
  'changed',
  'command_refused',
  'confirmation_required',
  'conflict',
  'exists',
  'expired',
  'forbidden',
  'full',
  'internal',
  'loading',
  'moved',
  'no_answer',
  'no_undo',
  'not_found',
  'not_permitted',
  'read_only',
  'replica',
  'step_up_required',
  'store_unavailable',
  'store_version',
  'throttled',
  'tls',
  'too_large',
  'unauthenticated',
  'unknown_command',
  'unreachable',
  'value_doubtful',
  'wrong_origin',
] as const);
type Advised = typeof ADVICE extends Set<infer C> ? C : never;

const adviceOf = (code: string): Advised => (ADVICE.has(code as Advised) ? (code as Advised) : 'internal');

/** What went wrong, what to do next, and the request id for support. */
export const ProblemAlert = ({ error, onRetry }: ProblemAlertProps) => {
  const t = useTranslations('patterns.problem');
  const tWord = useTranslations('words');
  if (!error) return null;
  const problem = error instanceof ApiProblem ? error : null;
  if (problem?.asks) return <AskApproval problem={problem} asks={problem.asks} />;
  const advice = adviceOf(problem?.code ?? 'internal');
  return (
    <Alert
      role="alert"
      color="red"
      icon={<IconAlertCircle size={18} />}
      title={problem?.title ?? tWord('broke')}
    >
      <Text size="sm">{problem?.message ?? t('unexpected')}</Text>
      {problem && problem.errors.length > 1 && (
        <ul>
          {problem.errors.map((field) => (
            <li key={`${field.path} ${field.message}`}>
              {field.path && <code>{field.path}</code>} {field.message}
            </li>
          ))}
        </ul>
      )}
      <Text size="sm" mt={4}>
        {t(`advice.${advice}`)}
      </Text>
      <Group justify="space-between" mt="xs" gap="xs">
        {problem?.requestId ? (
          <Text size="xs">
            {t.rich('request', { id: problem.requestId, code: (id) => <code>{id}</code> })}
          </Text>
        ) : (
          <span />
        )}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {tWord('tryAgain')}
          </Button>
        )}
      </Group>
    </Alert>
  );
};
