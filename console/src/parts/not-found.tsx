import { Anchor, Code, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Page } from './page.tsx';

/** For an address that no page has. */
export function NotFound(): ReactNode {
  const [location] = useLocation();
  return (
    <Page title="404: no such page" about="The console has no page at this address.">
      <Text className="nestor-text">
        <Code>/console{location}</Code>
      </Text>
      <Group>
        <Anchor component={Link} href="/decide" underline="always">
          Decide
        </Anchor>
        <Anchor component={Link} href="/docs" underline="always">
          Documentation
        </Anchor>
      </Group>
    </Page>
  );
}
