import { z } from 'zod';
import { changeInput, changeResult, contract, isoTime } from '@/lib/contract';

const isWebAddress = (text: string): boolean => {
  try {
    const { protocol, username, password } = new URL(text);
    return /^https?:$/.test(protocol) && username === '' && password === '';
  } catch {
    return false;
  }
};

export const annotationContracts = {
  create: contract({
    id: 'annotations.create',
    method: 'POST',
    path: '/api/v1/connections/{connection}/annotations',
    touches: ['hitRates.get', 'hitRates.change', 'history.series'],
    permission: 'flags:toggle',
    summary: 'Puts a mark on the charts, as for a deploy.',
    input: changeInput({
      at: isoTime,
      text: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .meta({ description: 'One line, shown as text. Secrets in it are masked.' }),
      href: z
        .string()
        .max(2000)
        .refine(isWebAddress, 'Must be an http or https URL without a user name or password.')
        .optional()
        .meta({ description: 'A page about it: http or https.' }),
    }),
    result: changeResult({
      annotation: z.object({ at: isoTime, text: z.string(), href: z.string().nullable() }),
    }),
    status: 201,
  }),
};
