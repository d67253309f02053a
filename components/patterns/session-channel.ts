import { basePath } from '@/lib/api-client';

const open = (): BroadcastChannel | null =>
  typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`keyward session ${basePath()}`);

/** Tells the other tabs of this browser who is signed in now; null after a sign-out. */
export const announceUser = (userId: string | null): void => {
  const channel = open();
  channel?.postMessage(userId);
  channel?.close();
};

/** Calls back when another tab announces somebody else than `userId`, until the returned function is called. */
export const onOtherUser = (userId: string, callback: () => void): (() => void) => {
  const channel = open();
  if (!channel) return () => undefined;
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    if (data !== userId) callback();
  };
  return () => channel.close();
};
