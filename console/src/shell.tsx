import {
  ActionIcon,
  AppShell,
  Box,
  Burger,
  Button,
  Center,
  Group,
  Loader,
  NavLink,
  ScrollArea,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Moon, Sun } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { pages } from './pages.tsx';
import { PaletteButton } from './palette/palette-button.tsx';
import { PageBoundary } from './parts/page-boundary.tsx';
import { useSession } from './session.tsx';

const NotFound = lazy(async () => ({ default: (await import('./parts/not-found.tsx')).NotFound }));

/** Pages by group, in their order. */
const groups = Object.entries(Object.groupBy(pages, ({ group = '' }) => group));

/** Heading, navigation and the page that the address names. */
export function Shell(): ReactNode {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [location, navigate] = useLocation();
  // What the palette opens is opened anew, also where the same page is open already.
  const [visit, setVisit] = useState(0);
  const go = useCallback(
    (path: string) => {
      navigate(path);
      setVisit((before) => before + 1);
    },
    [navigate],
  );
  const opened = `${location} ${visit}`;
  useFocusOnChange(opened);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 210, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
      transitionDuration={0}
    >
      <a className="nestor-skip" href="#main">
        Skip to the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
              aria-expanded={isOpen}
            />
            <Text fw={700} size="lg">
              Nestor
            </Text>
          </Group>
          <HeaderControls go={go} />
        </Group>
      </AppShell.Header>
      {/* Out of sight it is moved away alone, and the keyboard would still go through its links. */}
      <AppShell.Navbar p="xs" aria-label="Pages" {...(!isOpen && { visibleFrom: 'sm' })}>
        <AppShell.Section grow component={ScrollArea}>
          {groups.map(([group, entries = []]) => (
            <Box key={group} role="group" aria-label={group === '' ? undefined : group} mb={4}>
              {group !== '' && (
                <Text size="xs" c="dimmed" fw={600} px="sm" pt={6} pb={2} aria-hidden>
                  {group}
                </Text>
              )}
              {entries.map(({ path, label, icon: Icon }) => (
                <NavLink
                  key={path}
                  component={Link}
                  href={path}
                  label={label}
                  py={6}
                  leftSection={<Icon size={18} aria-hidden />}
                  active={isAt(location, path)}
                  aria-current={isAt(location, path) ? 'page' : undefined}
                  onClick={close}
                />
              ))}
            </Box>
          ))}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} onFocus={close}>
        <Pages key={opened} />
      </AppShell.Main>
    </AppShell>
  );
}

/** Moves the focus to a page that was just opened, so that the keyboard goes on there and not in the list of pages. */
function useFocusOnChange(opened: string): void {
  const before = useRef(opened);
  useEffect(() => {
    if (before.current === opened) return;
    before.current = opened;
    const main = document.querySelector<HTMLElement>('#main');
    // A field of the page may have it already.
    if (main?.contains(document.activeElement) === false) main.focus({ preventScroll: true });
  }, [opened]);
}

function Pages(): ReactNode {
  return (
    <PageBoundary>
      <Suspense
        fallback={
          <Center py="xl">
            <Loader aria-label="Loading the page" />
          </Center>
        }
      >
        <Switch>
          {pages.map(({ path, isNested, page }) => (
            <Route key={path} path={isNested === true ? `${path}/*?` : path} component={page} />
          ))}
          <Route path="/">
            <Redirect to="/decide" replace />
          </Route>
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </PageBoundary>
  );
}

function HeaderControls({ go }: { readonly go: (path: string) => void }): ReactNode {
  const { signOut } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <Group gap="xs" wrap="nowrap">
      <PaletteButton go={go} />
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={isDark ? 'Use light colours' : 'Use dark colours'}
        onClick={() => {
          setColorScheme(isDark ? 'light' : 'dark');
        }}
      >
        {isDark ? <Sun size={18} aria-hidden /> : <Moon size={18} aria-hidden />}
      </ActionIcon>
      <Button variant="default" size="compact-md" onClick={signOut}>
        Sign out
      </Button>
    </Group>
  );
}

function isAt(location: string, path: string): boolean {
  return location === path || location.startsWith(`${path}/`);
}
