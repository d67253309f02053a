import { createTheme, type MantineColorsTuple } from '@mantine/core';

const indigo: MantineColorsTuple = [
  '#edf1ff',
  '#dbe3ff',
  '#b9c8ff',
  '#93aaff',
  '#7590fb',
  '#5b7af5',
  '#4c6ef5',
  '#4263eb',
  '#3b5bdb',
  '#2f49b8',
];
// Shade 7 carries white text at 4.5:1 or better in every tuple below.
const red: MantineColorsTuple = [
  '#fff1f1',
  '#ffe1e1',
  '#ffc7c7',
  '#ffa3a3',
  '#ff7b7b',
  '#fa5252',
  '#ee3f3f',
  '#d92d2d',
  '#c22626',
  '#9f1d1d',
];
const green: MantineColorsTuple = [
  '#e8fbf3',
  '#cef5e3',
  '#9eeac8',
  '#69dcab',
  '#3ecd92',
  '#1fb97c',
  '#12a36c',
  '#0a7d53',
  '#086b47',
  '#06563a',
];
const orange: MantineColorsTuple = [
  '#fff4e6',
  '#ffe6c9',
  '#ffcb92',
  '#ffad57',
  '#ff962b',
  '#fd7e14',
  '#e8690b',
  '#b84f06',
  '#9c4206',
  '#7d3506',
];
const dark: MantineColorsTuple = [
  '#dcdee3',
  '#b9bdc6',
  '#9aa0ab',
  '#747a86',
  '#4a4e57',
  '#33363d',
  '#26282e',
  '#1b1d22',
  '#15161a',
  '#0f1013',
];

const TITLE = { fontWeight: 650, overflowWrap: 'anywhere' } as const;

/** Dense, calm, one blue. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  colors: { indigo, red, green, orange, dark },
  defaultRadius: 8,
  fontFamily: 'var(--kw-font)',
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // The placeholder is a child that role=menu does not allow (ARIA, required owned elements).
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Button: { defaultProps: { size: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    // Optional fields say what happens when they are empty, so required ones need no asterisk.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // A form that begins with a choice is not covered by it.
    Select: { defaultProps: { openOnFocus: false } },
    Badge: { defaultProps: { variant: 'light', tt: 'none' } },
    Drawer: {
      defaultProps: { position: 'right', overlayProps: { backgroundOpacity: 0.35 } },
      styles: { title: TITLE },
    },
    Modal: { styles: { title: TITLE } },
    // Their <header> is outside any section, and would count as a second banner of the page.
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    ModalHeader: { defaultProps: { role: 'presentation' } },
  },
});
