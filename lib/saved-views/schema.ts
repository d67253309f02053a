import { z } from 'zod';
import { changeInput, changeResult, contract, pageOf, shortListInput } from '@/lib/contract';

/** The limit for each user and for the shared ones, per connection. */
export const MAX_VIEWS = 50;

const fields = {
  name: z.string().trim().min(1).max(60),
  table: z
    .string()
    .regex(/^[a-z][\w.-]{0,119}$/, 'Not the name of a table.')
    .meta({ description: 'The list that it shows.' }),
  href: z
    .string()
    .max(2000)
    .regex(/^\/[a-z]/i, 'Not a path of the console.')
    .meta({
      description: 'The address inside the console, without its base path: the filter and the order.',
    }),
  columns: z
    .record(z.string().max(60), z.boolean())
    .refine((columns) => Object.keys(columns).length <= 100, 'At most 100 columns.')
    .meta({ description: 'Which columns were shown or hidden by hand, by their ids.' }),
  shared: z.boolean().meta({ description: 'With everybody who uses this connection.' }),
};

export const savedView = z.object({
  id: z.string(),
  ...fields,
  by: z.string().meta({ description: 'Who saved it.' }),
  mayDelete: z.boolean().meta({ description: 'Your own, or you manage users.' }),
});
export type SavedView = z.output<typeof savedView>;

const base = '/api/v1/connections/{connection}/saved-views';

export const savedViewContracts = {
  list: contract({
    id: 'savedViews.list',
    method: 'GET',
    path: base,
    permission: 'view',
    summary: 'Your saved views of lists and the shared ones, by name.',
    input: z.strictObject(shortListInput),
    result: pageOf(savedView),
  }),
  create: contract({
    id: 'savedViews.create',
    method: 'POST',
    path: base,
    touches: ['savedViews'],
    permission: 'view',
    summary: 'Saves a list with its filter and columns under a name. Sharing needs `live:view`.',
    input: changeInput(fields),
    result: changeResult({ view: savedView }),
    status: 201,
  }),
  delete: contract({
    id: 'savedViews.delete',
    method: 'DELETE',
    path: `${base}/{id}`,
    touches: ['savedViews'],
    permission: 'view',
    summary: 'Deletes a saved view of your own. Who manages users may delete every shared one.',
    input: changeInput({ id: z.string().min(1).max(60) }),
    result: changeResult({ id: z.string() }),
  }),
};
