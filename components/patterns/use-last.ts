import { useState } from 'react';

/** The last value that was not null, so a drawer keeps its content during the closing animation. */
export const useLast = <T>(value: T | null): T | null => {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
};
