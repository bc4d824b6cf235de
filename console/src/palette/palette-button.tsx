import { Button, Group, Kbd, Text, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';

/** Loaded when it is first opened. */
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the palette, also by Ctrl+K or Cmd+K wherever the focus is. */
export function PaletteButton({ go }: { readonly go: (path: string) => void }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setOpen(true);
  };
  // Also in fields.
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Button
        variant="default"
        size="compact-md"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={open}
      >
        <Group gap="xs" wrap="nowrap">
          <Search size={18} aria-hidden />
          {/* In narrow windows the header has room for the picture alone. */}
          <Text span inherit visibleFrom="sm">
            Go to
          </Text>
          <VisuallyHidden hiddenFrom="sm">Go to</VisuallyHidden>
          <Kbd size="xs" visibleFrom="sm" aria-hidden>
            {isMac ? '⌘ K' : 'Ctrl K'}
          </Kbd>
        </Group>
      </Button>
      {isOpen && (
        <Suspense>
          <Palette
            go={go}
            onClose={() => {
              setOpen(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
