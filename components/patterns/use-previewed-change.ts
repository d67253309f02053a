'use client';

import { type UseMutationResult, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import { call } from '@/lib/api-client';
import type { Contract, Result, WireInput } from '@/lib/contract';
import type { ChangeWords } from './change-drawer';
import { useConnection } from './connection';
import { keepWithin } from './query-key';
import { useCommand } from './use-command';
import { useOpened } from './use-opened';

/** A change that a dry run counts first, and that is verified, or continues as a job. */
export type PreviewContract = Contract<z.ZodType<unknown, { dryRun?: boolean | undefined } & ChangeWords>>;

type Answer<C extends PreviewContract> = Exclude<Result<C>, { jobId: string }>;

export interface PreviewedChange<Target, C extends PreviewContract> {
  /** Null before the first. */
  target: Target | null;
  opened: boolean;
  /** Counted again each time it is asked for. */
  preview: UseQueryResult<Answer<C>>;
  command: UseMutationResult<Result<C>, Error, WireInput<C>>;
  operation: string;
  ask: (target: Target) => void;
  submit: (words: ChangeWords) => void;
  close: () => void;
  /** The verified result of the last one. */
  proof: { result: Answer<C>; target: Target } | null;
  dismissProof: () => void;
}

interface Options<Target, C extends PreviewContract> {
  inputOf: (target: Target) => WireInput<C>;
  /** After it was applied, or enqueued: then `jobId` is that of its job. */
  onDone: (target: Target, jobId: string | null, result: Result<C>) => void;
}

const isJob = (result: unknown): result is { jobId: string } =>
  typeof result === 'object' && result !== null && 'jobId' in result;

/** The steps of a change: `ask`, the counted preview, `submit`, then the `proof` or a job. */
export const usePreviewedChange = <Target, C extends PreviewContract>(
  contract: C,
  { inputOf, onDone }: Options<Target, C>,
): PreviewedChange<Target, C> => {
  const { id: connection } = useConnection();
  const { about: target, key: round, opened, open, close } = useOpened<Target>();
  const [proof, setProof] = useState<{ result: Answer<C>; target: Target } | null>(null);
  const command = useCommand(contract);
  const input = target === null ? null : inputOf(target);
  // Not a key of the operation: a change refetches what it touches, and must not count itself again.
  const previews = ['preview', contract.id, connection, round];
  const preview = useQuery({
    queryKey: [...previews, input],
    queryFn: async ({ signal }): Promise<Answer<C>> => {
      const dryRun = { ...(input as object), dryRun: true } as WireInput<C>;
      const result = await call(contract, dryRun, { connection, signal });
      if (isJob(result)) throw new Error('A dry run is answered at once: it never becomes a job.');
      return result as Answer<C>;
    },
    placeholderData: keepWithin(previews),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    enabled: opened && target !== null,
  });
  const submit = (words: ChangeWords) => {
    if (target === null) return;
    const onSuccess = (result: Result<C>) => {
      close();
      const jobId = isJob(result) ? result.jobId : null;
      setProof(jobId === null ? { result: result as Answer<C>, target } : null);
      onDone(target, jobId, result);
    };
    command.mutate({ ...(input as object), ...words } as WireInput<C>, { onSuccess });
  };
  return {
    target,
    opened,
    preview: preview as UseQueryResult<Answer<C>>,
    command,
    operation: contract.id,
    ask: (next) => {
      command.reset();
      open(next);
    },
    submit,
    close,
    proof,
    dismissProof: () => setProof(null),
  };
};
