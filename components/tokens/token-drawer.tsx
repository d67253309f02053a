'use client';

import { Alert, Button, Group, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { TokenAge, TokenExpiry, TokenForm, VerificationType } from '@/components/patterns/token-words';
import { useMay } from '@/components/patterns/viewer';
import type { TokenRow } from './queries';
import { useTokenLabel } from './token-columns';
import { Provider, UserLink } from './token-parts';

interface TokenDrawerProps {
  token: TokenRow | null;
  opened: boolean;
  onClose: () => void;
  onRevoke: (token: TokenRow) => void;
}

/** All details of one token, never its value. */
export const TokenDrawer = ({ token, opened, onClose, onRevoke }: TokenDrawerProps) => {
  const t = useTranslations('tokens.drawer');
  const label = useTokenLabel();
  const mayRevoke = useMay('sessions:revoke');
  if (!token) return null;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={440}
      title={label(token)}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack gap="md">
        <Problems token={token} />
        <TokenFacts token={token} />
        <Alert color="gray">{t('never')}</Alert>
        {mayRevoke && (
          <Group justify="flex-end">
            <Button color="red" onClick={() => onRevoke(token)}>
              {t('revoke')}
            </Button>
          </Group>
        )}
      </Stack>
    </Drawer>
  );
};

const problemsOf = ({ kind, form, type, userId, provider }: TokenRow) => {
  if (form === 'large' || form === 'other') return form;
  if (kind === 'verification') return userId === null ? 'noUser' : type === null ? 'noType' : null;
  return provider === null ? 'noProvider' : null;
};

/** The problems of a token, which the table shows on hover only. */
const Problems = ({ token }: { token: TokenRow }) => {
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

const TokenFacts = ({ token }: { token: TokenRow }) => {
  const t = useTranslations('tokens');
  const isVerification = token.kind === 'verification';
  const isState = token.kind === 'state';
  return (
    <Facts
      facts={[
        isState ? null : { label: t('column.user'), value: <UserLink token={token} /> },
        isVerification
          ? { label: t('column.type'), value: <VerificationType type={token.type} /> }
          : { label: t('column.provider'), value: <Provider token={token} /> },
        { label: t('column.kind'), value: t(`kind.${token.kind}`) },
        token.form && { label: t('column.form'), value: <TokenForm form={token.form} /> },
        { label: t('column.created'), value: <TokenAge token={token} /> },
        { label: t('column.expires'), value: <TokenExpiry token={token} kind={token.kind} /> },
        { label: t('column.id'), value: <code>{token.id}</code> },
      ]}
    />
  );
};
