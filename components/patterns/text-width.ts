/** Pixels of a text of 14 px, roughly: a field is as wide as its placeholder, which languages differ in. */
export const textWidth = (text: string): number =>
  Math.ceil([...text].reduce((sum, letter) => sum + (/\p{Script=Han}/u.test(letter) ? 14 : 7.7), 0));
