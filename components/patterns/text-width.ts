const letterWidth = (letter: string): number => {
  if (/\p{Script=Han}/u.test(letter)) return 14;
  return /\p{Script=Cyrillic}/u.test(letter) ? 8.7 : 7.7;
};

/** Pixels of a text of 14 px, roughly: a field is as wide as its placeholder, which languages differ in. */
export const textWidth = (text: string): number =>
  Math.ceil([...text].reduce((sum, letter) => sum + letterWidth(letter), 0));
