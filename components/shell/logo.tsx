/** The shield with a keyhole. */
export const Logo = ({ size = 22 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path
      fill="var(--mantine-color-indigo-7)"
      d="M12 1.5 3.5 4.6v6.6c0 5.2 3.5 9.6 8.5 11.3 5-1.7 8.5-6.1 8.5-11.3V4.6z"
    />
    <path fill="#fff" d="M12 7.2a2.9 2.9 0 0 0-1.4 5.4l-.7 4h4.2l-.7-4A2.9 2.9 0 0 0 12 7.2z" />
  </svg>
);
