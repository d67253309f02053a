const FIELDS = 'input:not([type=checkbox], [type=radio], [type=file], [type=hidden])';

/** Sets the text as the browser does when a key is pressed: React, which replaced the property, does not know of it. */
const setAsTyped = (field: HTMLInputElement | HTMLTextAreaElement, text: string): void =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, text);

/**
 * Reports text that was typed into an input of the server's HTML. React leaves it in the field, but calls no handler,
 * and the next render would remove it.
 */
export const reportTypedText = (root: ParentNode): void => {
  for (const field of root.querySelectorAll<HTMLInputElement>(FIELDS)) {
    const { value, defaultValue } = field;
    if (value === defaultValue || field.readOnly) continue;
    // React ignores an event unless the value differs from the last one that it knows.
    field.value = defaultValue;
    setAsTyped(field, value);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
};

const isTextField = (target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

/**
 * Keeps typed text while React renders pending updates. React does so between the two phases of an event, before it
 * calls the field's handlers, and resets controlled fields, so the typed letter would be lost.
 */
export const keepTypedText = (): (() => void) => {
  const end = new AbortController();
  const options = { capture: true, signal: end.signal };
  let typed = '';
  // `save` runs before React's listener of this phase, which is on the document, and `restore` after it.
  const save = ({ target }: Event) => {
    if (isTextField(target)) typed = target.value;
  };
  const restore = ({ target }: Event) => {
    if (isTextField(target) && target.value !== typed) setAsTyped(target, typed);
  };
  window.addEventListener('input', save, options);
  document.documentElement.addEventListener('input', restore, options);
  return () => end.abort();
};
