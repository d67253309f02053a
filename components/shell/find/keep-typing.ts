/** How long typed text is kept for the search field until that has the focus. */
const TYPED_AHEAD_MS = 3000;

let keeping = new AbortController();

/** Keeps the letters typed from now on, and inserts them into the first field of a dialog that has the focus. */
export const keepTyping = (): void => {
  let typed = '';
  // A search that was closed before it had the focus must not insert the text of the next one, too.
  keeping.abort();
  const end = new AbortController();
  keeping = end;
  const options = { capture: true, signal: end.signal };
  setTimeout(() => end.abort(), TYPED_AHEAD_MS);
  const isField = (target: EventTarget | null) => target instanceof HTMLInputElement;
  window.addEventListener(
    'keydown',
    (event) => {
      if (isField(event.target) || event.key === 'Escape') return end.abort();
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      typed += event.key;
    },
    options,
  );
  document.addEventListener(
    'focusin',
    ({ target }) => {
      if (!isField(target) || !(target as HTMLElement).closest('[role="dialog"]')) return;
      end.abort();
      if (typed) document.execCommand('insertText', false, typed);
    },
    options,
  );
};
