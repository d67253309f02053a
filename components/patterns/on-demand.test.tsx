import { render, screen, waitFor } from '@testing-library/react/pure';
import { describe, expect, it, vi } from 'vitest';
import { loadAllOnDemand, onDemand } from './on-demand';

const Words = ({ words }: { words: string }) => <p>{words}</p>;

describe('a component on demand', () => {
  it('is there when its script has arrived, and at once the next time', async () => {
    const load = vi.fn(async () => Words);
    const Later = onDemand(load, 'shown');
    expect(load).not.toHaveBeenCalled();
    const { container } = render(<Later words="first" />);
    expect(container.textContent).toBe('');
    await screen.findByText('first');
    render(<Later words="second" />);
    expect(screen.getByText('second')).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('is fetched when the browser is idle, before it is shown', async () => {
    const load = vi.fn(async () => Words);
    onDemand(load);
    await waitFor(() => expect(load).toHaveBeenCalledTimes(1));
  });

  it('is fetched again after a failure', async () => {
    const load = vi.fn(async () => Words).mockRejectedValueOnce(new Error('no network'));
    const Later = onDemand(load, 'shown');
    await loadAllOnDemand();
    expect(load).toHaveBeenCalledTimes(1);
    render(<Later words="third" />);
    await screen.findByText('third');
    expect(load).toHaveBeenCalledTimes(2);
  });
});
