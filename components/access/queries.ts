import { mutationOptions } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import type { WireInput } from '@/lib/contract';
import { accountContracts } from '@/lib/users/schema';

export const accountMutations = {
  setup: () =>
    mutationOptions({
      mutationFn: (input: WireInput<typeof accountContracts.setup>) => call(accountContracts.setup, input),
    }),
  changePassword: () =>
    mutationOptions({
      mutationFn: (input: WireInput<typeof accountContracts.changePassword>) =>
        call(accountContracts.changePassword, input),
    }),
  signOutEverywhere: () =>
    mutationOptions({ mutationFn: () => call(accountContracts.signOutEverywhere, {}) }),
};
