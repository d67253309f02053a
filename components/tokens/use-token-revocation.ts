'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { useOpened } from '@/components/patterns/use-opened';
import type { TokenFilter } from '@/lib/tokens/schema';
import type { Tab } from './filter';
import { type RevokeInput, type RevokeResult, type TokenRow, tokenQueries, useRevokeTokens } from './queries';

/** The selected tokens, or all that match a filter. */
export type TokenTarget =
  | { tab: Tab; tokens: TokenRow[]; onRevoked?: () => void }
  | { tab: Tab; filter: TokenFilter };

export type TokenProof = Exclude<RevokeResult, { jobId: string }> & { tab: Tab };

const inputOf = (target: TokenTarget | null): RevokeInput => {
  if (!target) return {};
  return 'tokens' in target ? { ids: target.tokens.map(({ id }) => id) } : { filter: target.filter };
};

/** The steps of a revocation: `ask`, the counted preview, `submit`, then the `proof` or a job. */
export const useTokenRevocation = (onJob: (jobId: string) => void) => {
  const { id } = useConnection();
  const { about: target, key: round, opened, open, close } = useOpened<TokenTarget>();
  const [proof, setProof] = useState<TokenProof | null>(null);
  const input = inputOf(target);
  const preview = useQuery({
    ...tokenQueries.preview(id, target?.tab ?? 'oauth', input, round),
    enabled: opened && target !== null,
  });
  const mutation = useRevokeTokens(id);

  const ask = (next: TokenTarget) => {
    mutation.reset();
    open(next);
  };
  const submit = (words: ChangeWords) => {
    if (!target) return;
    mutation.mutate(
      { tab: target.tab, input: { ...input, ...words } },
      {
        onSuccess: (result) => {
          close();
          if ('tokens' in target) target.onRevoked?.();
          if ('jobId' in result) {
            setProof(null);
            onJob(result.jobId);
          } else setProof({ ...result, tab: target.tab });
        },
      },
    );
  };
  return {
    target,
    opened,
    preview,
    mutation,
    ask,
    submit,
    close,
    proof,
    dismissProof: () => setProof(null),
  };
};

export type TokenRevocation = ReturnType<typeof useTokenRevocation>;
