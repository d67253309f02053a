'use client';

import { Badge, Group, Tooltip } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { OauthState, OauthToken, VerificationToken } from '@/lib/sessions/tokens/schema';
import type { messages } from '@/messages/en';
import { HostileText } from './hostile-text';
import { RelativeTime } from './relative-time';
import { useFormat } from './use-format';

const PROVIDERS: Record<string, string> = {
  google: 'Google',
  github: 'GitHub',
  facebook: 'Facebook',
  twitter: 'Twitter',
  telegram: 'Telegram',
  vk: 'VK',
  yandex: 'Yandex',
};

export const providerName = (provider: string | null | undefined): string =>
  PROVIDERS[provider ?? ''] ?? provider ?? '—';

type KnownType = keyof (typeof messages)['tokens']['type'];

/** What a verification is for, in words: "password reset". One nobody has put into words is shown as it is. */
export const useVerificationType = (): ((type: string) => string) => {
  const t = useTranslations('tokens');
  return (type) => (t.has(`type.${type as KnownType}`) ? t(`type.${type as KnownType}`) : type);
};

export type TokenKind = OauthToken['kind'] | VerificationToken['kind'] | 'state';
export type Lifetime = Pick<OauthState, 'createdAt' | 'createdFrom' | 'ttlSeconds'>;

/** Seconds before its end from which a token is said to expire soon: about a tenth of its usual life, a day at most. */
const SOON: Record<TokenKind, number> = { access: 600, refresh: 86_400, verification: 600, state: 90 };

const expiresSoon = (kind: TokenKind, { ttlSeconds }: Pick<Lifetime, 'ttlSeconds'>): boolean =>
  ttlSeconds !== null && ttlSeconds <= SOON[kind];

/** When a token was made; "about" where only its TTL tells. */
export const TokenAge = ({ token }: { token: Lifetime }) => {
  const t = useTranslations('tokens.cell');
  if (token.createdFrom !== 'ttl') return <RelativeTime at={token.createdAt} />;
  return (
    <span>
      <Tooltip label={t('fromTtl')} multiline maw={260}>
        <abbr title={t('about')} style={{ textDecoration: 'none' }}>
          ≈
        </abbr>
      </Tooltip>{' '}
      <RelativeTime at={token.createdAt} />
    </span>
  );
};

/** What is left of a token. One without a TTL stays until somebody removes it, and is flagged. */
export const TokenExpiry = ({ token, kind }: { token: Lifetime; kind: TokenKind }) => {
  const t = useTranslations('tokens.cell');
  const { duration } = useFormat();
  if (token.ttlSeconds === null)
    return (
      <Tooltip label={t('noTtlMeans')} multiline maw={260}>
        <Badge color="orange">{t('noTtl')}</Badge>
      </Tooltip>
    );
  return (
    <Group gap={6}>
      <span style={{ whiteSpace: 'nowrap' }}>{duration(token.ttlSeconds)}</span>
      {expiresSoon(kind, token) && (
        <Badge color="gray" style={{ flex: 'none' }}>
          {t('soon')}
        </Badge>
      )}
    </Group>
  );
};

type Form = OauthToken['form'] | VerificationToken['form'];

/** How the application wrote a token. What cannot be one is flagged as malformed, with why. */
export const TokenForm = ({ form }: { form: Form }) => {
  const t = useTranslations('tokens');
  if (form !== 'large' && form !== 'other') return <span>{t(`form.${form}`)}</span>;
  return <Malformed why={t(`malformed.${form}`)} />;
};

export const Malformed = ({ why }: { why: string }) => {
  const t = useTranslations('tokens.cell');
  return (
    <Tooltip label={why} multiline maw={260}>
      <Badge color="red">{t('malformed')}</Badge>
    </Tooltip>
  );
};

/** What a verification is for. A value that cannot be read does not say. */
export const VerificationType = ({ type }: { type: string | null }) => {
  const t = useTranslations('tokens.malformed');
  const words = useVerificationType();
  if (type === null) return <Malformed why={t('noType')} />;
  return <HostileText max={60}>{words(type)}</HostileText>;
};
