/** Joins the parts of a file. */
export const textOf = async (parts: AsyncIterable<string> | Iterable<string>): Promise<string> => {
  let text = '';
  for await (const part of parts) text += part;
  return text;
};
