'use client';

import { useMemo } from 'react';
import { useUrlState } from '@/components/patterns/use-url-state';
import { ContractList } from './contract-list';
import type { AnyList } from './declare-list';

/** Where lists have their filters in the address, and what opens their drawers. */
export const addressOf = (lists: readonly AnyList[]) => {
  const opens = lists.flatMap((list) => list.opens ?? []);
  const names = [...opens.map(({ name }) => name), ...(lists.some(({ bulk }) => bulk) ? ['job'] : [])];
  const none: Record<string, string> = Object.assign(
    {},
    ...lists.map(({ fields, sort }) => ({ ...fields, ...(sort && { sort: '', order: '' }) })),
    ...names.map((name) => ({ [name]: '' })),
  );
  const fields: Record<string, string> = Object.assign({}, none, ...opens.map((each) => each.fields));
  return { none, fields, opens: names };
};

/** A list on a page that is not made of lists only. */
export const AddressedList = ({ list }: { list: AnyList }) => {
  const { fields, steps } = useMemo(() => {
    const address = addressOf([list]);
    return { fields: address.fields, steps: { opens: address.opens } };
  }, [list]);
  const [url, setUrl] = useUrlState<Record<string, string>>(fields, steps);
  return <ContractList list={list} url={url} onChange={setUrl} />;
};
