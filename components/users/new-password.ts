// Without letters and digits that are easily confused: passwords are read out and typed.
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20;

/** A random password of 20 characters, about 116 bits. */
export const newPassword = (): string => {
  const characters: string[] = [];
  // Reject bytes above the largest multiple, otherwise the first letters would be more likely.
  const limit = 256 - (256 % ALPHABET.length);
  while (characters.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) {
      if (byte < limit && characters.length < LENGTH) characters.push(ALPHABET[byte % ALPHABET.length]!);
    }
  }
  return characters.join('');
};
