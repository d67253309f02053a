export function closeFolder(folder: string): void;
export function startStore(state: string): Promise<{ url: string; stop(): Promise<void> }>;
