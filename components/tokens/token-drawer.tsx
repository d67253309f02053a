'use client';

import { Alert, Button, Group, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { useWords } from '@/components/contract-list/words';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { TokenAge, TokenExpiry, TokenForm, VerificationType } from '@/components/patterns/token-words';
import { kindOf, type Token, tokenName } from './token';
import { KindText, Provider, UserLink } from './token-parts';

/** All details of one token, never its value. */
export const TokenDrawer = ({ row: token, opened, onClose, onClosed, onBulk }: RowDrawerProps<Token>) => {
  const t = useTranslations('tokens.drawer');
  const words = useWords('tokens');
  if (!token) return null;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      width="detail"
      title={tokenName(token, words)}
    >
      <Stack gap="md">
        <Problems token={token} />
        <TokenFacts token={token} />
        <Alert color="gray">{t('never')}</Alert>
        {onBulk && (
          <Group justify="flex-end">
            <Button color="red" onClick={onBulk}>
              {t('revoke')}
            </Button>
          </Group>
        )}
      </Stack>
    </Drawer>
  );
};

const problemsOf = ({ kind, form, type = null, userId = null, provider = null }: Token) => {
  if (form === 'large' || form === 'other') return form;
  if (kind === 'verification') return userId === null ? 'noUser' : type === null ? 'noType' : null;
  return provider === null ? 'noProvider' : null;
};

/** The problems of a token, which the table shows on hover only. */
const Problems = ({ token }: { token: Token }) => {
  const t = useTranslations('tokens');
  const malformed = problemsOf(token);
  if (malformed === null && token.ttlSeconds !== null) return null;
  return (
    <Alert color="orange">
      {malformed && <div>{t(`malformed.${malformed}`)}</div>}
      {token.ttlSeconds === null && <div>{t('cell.noTtlMeans')}</div>}
    </Alert>
  );
};

const TokenFacts = ({ token }: { token: Token }) => {
  const t = useTranslations('tokens');
  const tWord = useTranslations('words');
  const { kind, type = null, form } = token;
  const isVerification = kind === 'verification';
  return (
    <Facts
      facts={[
        kind === undefined ? null : { label: tWord('user'), value: <UserLink token={token} /> },
        isVerification
          ? { label: tWord('type'), value: <VerificationType type={type} /> }
          : { label: t('column.provider'), value: <Provider token={token} /> },
        { label: tWord('kind'), value: <KindText token={token} /> },
        form ? { label: t('column.form'), value: <TokenForm form={form} /> } : null,
        { label: tWord('created'), value: <TokenAge token={token} /> },
        { label: t('column.expires'), value: <TokenExpiry token={token} kind={kindOf(token)} /> },
        { label: t('column.id'), value: <code>{token.id}</code> },
      ]}
    />
  );
};
