import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { bytesOfName } from '@/lib/visible-text';
import { renderAt } from '@/scripts/testing/render';
import { ExactText, NameInput } from './exact-text';

let stored = '';
const Both = ({ of: Field }: { of: typeof ExactText | typeof NameInput }) => {
  const [text, setText] = useState('');
  stored = text;
  return <Field aria-label="field" value={text} onChange={setText} />;
};

const PEM = '-----BEGIN KEY-----\nMIIE\n-----END KEY-----\n';

describe('a field for exact text', () => {
  it.each([PEM, PEM.replaceAll('\n', '\r\n'), ' a  b\t', 'one\n\ntwo'])(
    'stores %j as it was pasted',
    async (text) => {
      const { user, getByLabelText } = renderAt('/demo/keys', <Both of={ExactText} />);
      await user.click(getByLabelText('field'));
      await user.paste(text);
      expect(stored).toBe(text);
    },
  );

  it('says that mixed line breaks become LF', async () => {
    const { user, getByLabelText, getByRole } = renderAt('/demo/keys', <Both of={ExactText} />);
    await user.click(getByLabelText('field'));
    await user.paste('a\r\nb\nc');
    expect(getByRole('status').textContent).toContain('mixed');
    expect(stored).toBe('a\nb\nc');
  });

  it('keeps line breaks of a name, on one line', async () => {
    const { user, getByLabelText, getByRole } = renderAt('/demo/keys', <Both of={NameInput} />);
    await user.click(getByLabelText('field'));
    await user.paste('a\r\nb\nc');
    expect(stored).toBe('a\\x0d\\x0ab\\x0ac');
    expect(Buffer.from(bytesOfName(stored)).toString()).toBe('a\r\nb\nc');
    expect(getByRole('status').textContent).toBe('Stored as 6 bytes: 61 0d 0a 62 0a 63');
  });
});
