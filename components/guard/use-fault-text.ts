'use client';

import { useCallback } from 'react';
import { useServerText } from '@/components/patterns/use-server-text';
import { codeOfFault } from '@/lib/guard/address-faults';

/** Why an address cannot be banned or never matches, in the reader's language. */
export const useFaultText = () => {
  const serverText = useServerText();
  return useCallback(
    (sentence: string): string => {
      const fault = codeOfFault(sentence);
      return fault ? serverText(`address.${fault.code}`, sentence, { ip: fault.ip }) : sentence;
    },
    [serverText],
  );
};
