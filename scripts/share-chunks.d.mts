export declare const shareChunks: (folder: string) => number;
