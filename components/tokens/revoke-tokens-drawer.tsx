'use client';

import { Skeleton, Stack } from '@mantine/core';
import type { BulkTarget } from '@/components/contract-list/declare-list';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { QueryProblem } from '@/components/patterns/query-problem';
import { Strong } from '@/components/patterns/strong';
import type { PreviewedChange } from '@/components/patterns/use-previewed-change';
import type { Texts } from '@/components/patterns/use-texts';
import type { TokenFilter, tokenContracts } from '@/lib/tokens/schema';
import { FilterFacts } from './filter-facts';
import { type Token, tokenName } from './token';

const NAMED = 3;

type Target = BulkTarget<Token, TokenFilter>;
type RevokeContract = (typeof tokenContracts)['oauthRevoke' | 'verificationRevoke' | 'stateRevoke'];
export type TokenRevocation = PreviewedChange<Target, RevokeContract>;

/** The server's preview of a revocation: what ends, what stays, and that it cannot be undone. */
export const RevokeTokensDrawer = ({ t, change }: { t: Texts; change: TokenRevocation }) => {
  const { target, preview, command } = change;
  if (!target) return null;
  const counted = preview.data;
  const chosen = 'rows' in target ? target.rows.length : null;
  const count = counted?.remaining ?? chosen;
  return (
    <ChangeDrawer
      operation={change.operation}
      opened={change.opened}
      onClose={change.close}
      title={chosen === null ? t('bulk.titleAll') : t('bulk.verb', { count: chosen })}
      verb={count === null ? t('bulk.verbAll') : t('bulk.verb', { count })}
      destructive
      needsConfirmation
      blocked={!counted || counted.remaining === 0}
      pending={command.isPending}
      error={command.error}
      onSubmit={change.submit}
      staysValid={t('bulk.stays')}
    >
      <Stack gap="xs">
        <What t={t} target={target} />
        <span>{t('bulk.consequence')}</span>
        {preview.isError && <QueryProblem of={preview} />}
        {preview.isPending && (
          <div role="status" aria-label={t('bulk.counting')}>
            <Skeleton height={14} mb={6} />
            <Skeleton height={14} width="60%" />
          </div>
        )}
        {counted && (
          <span role="status">
            {t('bulk.found', { count: counted.remaining })}
            {counted.alreadyGone > 0 && ` ${t('bulk.alreadyGone', { count: counted.alreadyGone })}`}
          </span>
        )}
        <Strong>{t('bulk.forGood')}</Strong>
      </Stack>
    </ChangeDrawer>
  );
};

/** The tokens by name when there are few, or the filter in words. */
const What = ({ t, target }: { t: Texts; target: Target }) => {
  if ('filter' in target) return <FilterFacts filter={target.filter} />;
  const named = target.rows.slice(0, NAMED);
  const others = target.rows.length - named.length;
  return (
    <ul style={{ margin: 0, paddingInlineStart: 18 }}>
      {named.map((token) => (
        <li key={token.id}>{tokenName(token, t)}</li>
      ))}
      {others > 0 && <li>{t('bulk.more', { count: others })}</li>}
    </ul>
  );
};
