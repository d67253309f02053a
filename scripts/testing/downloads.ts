import { afterEach, beforeEach, vi } from 'vitest';

/** The files a page downloads, oldest first. */
export const downloads = (): { name: string; content: Blob }[] => {
  const files: { name: string; content: Blob }[] = [];
  let last = new Blob();
  beforeEach(() => {
    vi.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
      last = content as Blob;
      return 'blob:of-a-test';
    });
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      files.push({ name: this.download, content: last });
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    files.length = 0;
  });
  return files;
};
