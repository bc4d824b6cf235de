import { Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface PageProps {
  readonly title: string;
  /** One sentence: what this page is for. */
  readonly about: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every page: its title is the only `h1` and the title of the tab. */
export function Page({ title, about, children }: PageProps): ReactNode {
  useDocumentTitle(`${title} · Nestor`);
  return (
    <Stack gap="lg">
      <div>
        <Title order={1} size="h2">
          {title}
        </Title>
        <Text c="dimmed" maw="46rem">
          {about}
        </Text>
      </div>
      {children}
    </Stack>
  );
}
