'use client';

import { Broken } from '@/components/shell/look';

export default function ErrorInConsole({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return <Broken error={error} retry={reset} />;
}
