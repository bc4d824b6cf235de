import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A number with its name. */
export function Figure({ label, value }: { readonly label: string; readonly value: string }): ReactNode {
  return (
    <Paper withBorder p="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={600}>
        {value}
      </Text>
    </Paper>
  );
}
