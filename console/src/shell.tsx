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
import { lazy, Suspense, type ReactNode } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { pages } from './pages.tsx';
import { PageBoundary } from './parts/page-boundary.tsx';
import { useSession } from './session.tsx';

const NotFound = lazy(async () => ({ default: (await import('./parts/not-found.tsx')).NotFound }));

/** Pages by group, in their order. */
const groups = Object.entries(Object.groupBy(pages, ({ group = '' }) => group));

/** Heading, navigation and the page that the address names. */
export function Shell(): ReactNode {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [location] = useLocation();
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
          <HeaderControls />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
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
      <AppShell.Main id="main" tabIndex={-1}>
        <Pages key={location} />
      </AppShell.Main>
    </AppShell>
  );
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

function HeaderControls(): ReactNode {
  const { signOut } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <Group gap="xs" wrap="nowrap">
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
