import { basePath } from '@/lib/api-client';

const open = (): BroadcastChannel | null =>
  typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`keyward session ${basePath()}`);

/** Informs this browser's other tabs about the signed-in user; null after a sign-out. */
export const announceUser = (userId: string | null): void => {
  const channel = open();
  channel?.postMessage(userId);
  channel?.close();
};

/** Calls back when another tab announces a user other than `userId`, until the returned function is called. */
export const onOtherUser = (userId: string, callback: () => unknown): (() => void) => {
  const channel = open();
  if (!channel) return () => undefined;
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    if (data !== userId) callback();
  };
  return () => channel.close();
};
