export function systemChromium(): string | null;
export function ensureChromium(): Promise<string>;
