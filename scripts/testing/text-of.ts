/** The parts of a file together. */
export const textOf = async (parts: AsyncIterable<string> | Iterable<string>): Promise<string> => {
  let text = '';
  for await (const part of parts) text += part;
  return text;
};
