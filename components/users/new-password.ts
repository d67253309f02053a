// No letter or digit that is easily taken for another: it is read out and typed.
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20;

/** A random password of 20 characters, about 116 bits. */
export const newPassword = (): string => {
  const characters: string[] = [];
  // Bytes above the last whole multiple are thrown away, else the first letters came up more often.
  const limit = 256 - (256 % ALPHABET.length);
  while (characters.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) {
      if (byte < limit && characters.length < LENGTH) characters.push(ALPHABET[byte % ALPHABET.length]!);
    }
  }
  return characters.join('');
};
