import { useState } from 'react';

/** What was there last, so that a drawer still has words while it closes. */
export const useLast = <T>(value: T | null): T | null => {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
};
