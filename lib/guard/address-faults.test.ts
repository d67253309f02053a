import { expect, it } from 'vitest';
import { ADDRESS_FAULTS, type AddressFault, addressFault, codeOfFault } from './address-faults';

it('knows each sentence again, with its address', () => {
  for (const code of Object.keys(ADDRESS_FAULTS) as AddressFault[]) {
    const ip = ADDRESS_FAULTS[code].includes('{ip}') ? '2001:db8::1' : '';
    expect(codeOfFault(addressFault(code, ip))).toEqual({ code, ip });
  }
  expect(codeOfFault('Something else.')).toBeNull();
});
