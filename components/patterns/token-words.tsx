'use client';

import { Badge, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { OauthState, OauthToken, VerificationToken } from '@/lib/tokens/schema';
import type { messages } from '@/messages/en';
import { HostileText } from './hostile-text';
import { RelativeTime } from './relative-time';
import { Tooltip } from './tooltip';
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

/** A verification's type in words: "password reset". Unknown types are shown unchanged. */
export const useVerificationType = (): ((type: string) => string) => {
  const t = useTranslations('tokens');
  return (type) => (t.has(`type.${type as KnownType}`) ? t(`type.${type as KnownType}`) : type);
};

export type TokenKind = OauthToken['kind'] | VerificationToken['kind'] | 'state';
export type Lifetime = Pick<OauthState, 'createdAt' | 'createdFrom' | 'ttlSeconds'>;

/** Below this TTL in seconds a token expires soon: about a tenth of its usual lifetime, at most a day. */
const SOON: Record<TokenKind, number> = { access: 600, refresh: 86_400, verification: 600, state: 90 };

const expiresSoon = (kind: TokenKind, { ttlSeconds }: Pick<Lifetime, 'ttlSeconds'>): boolean =>
  ttlSeconds !== null && ttlSeconds <= SOON[kind];

/** When a token was created; "about" if that is estimated from its TTL. */
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

/** A token's remaining TTL. Tokens without a TTL never expire and are flagged. */
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

/** A token's stored format. A malformed one is flagged, with the reason. */
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

/** A verification's type; unknown if its value cannot be parsed. */
export const VerificationType = ({ type }: { type: string | null }) => {
  const t = useTranslations('tokens.malformed');
  const words = useVerificationType();
  if (type === null) return <Malformed why={t('noType')} />;
  return <HostileText max={60}>{words(type)}</HostileText>;
};
