'use client';

import { useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '@/lib/api-client';
import type { Contract, WireInput } from '@/lib/contract';
import { useConnection } from './connection';

/** A dry run: previews a change that is answered at once, and changes nothing. */
export const usePlan = <C extends Contract<z.ZodType<unknown, { dryRun?: boolean | undefined }>>>(
  contract: C,
) => {
  const { id: connection } = useConnection();
  return useMutation({
    mutationFn: (input: WireInput<C>) => call(contract, { ...input, dryRun: true }, { connection }),
    gcTime: 0,
  });
};
