/** Why an address cannot be banned, or an entry never matches. `{ip}` stands for an address. */
export const ADDRESS_FAULTS = {
  empty: 'Empty.',
  space: 'Not an IP address: it has leading or trailing space.',
  chain: 'A chain of addresses: only a single address can be banned.',
  network: 'A network: the collector matches single addresses only.',
  port: 'It has a port or brackets: enter the address only.',
  zone: 'It has a zone: enter the address only.',
  notAnAddress: 'Not an IP address.',
  notText: 'Not text.',
  spelling: 'The collector writes this address as {ip}.',
  tooLong: 'Too long for an address.',
  protected: 'A protected address.',
  repeated: 'Already in this list.',
  banned: 'Already banned.',
  own: 'This is your own address: the collector will refuse your requests too.',
  stored: 'A ban would be stored as {ip}, which does not match this text.',
  sentChain: 'A chain written by the sender: the collector only matches it in full.',
  single: 'Not an IP address: only single addresses can be banned.',
} as const;
export type AddressFault = keyof typeof ADDRESS_FAULTS;

/** The sentence of a fault, in English. */
export const addressFault = (code: AddressFault, ip = ''): string => ADDRESS_FAULTS[code].replace('{ip}', ip);
