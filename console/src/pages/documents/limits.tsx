import { Paper, Progress, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatBinaryBytes, formatCount } from '../../parts/formats.ts';
import { shareOf, type OwnIndex } from './wire.ts';

/** What the account has in the index, beside what it may have. */
export function Limits({ index }: { readonly index: OwnIndex }): ReactNode {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} maw="46rem">
      <Limit
        label="Documents"
        share={shareOf(index.documents, index.documents_max)}
        told={`${formatCount(index.documents)} of ${formatCount(index.documents_max)}`}
      />
      <Limit
        label="Their text"
        share={shareOf(index.bytes, index.bytes_max)}
        told={`${formatBinaryBytes(index.bytes)} of ${formatBinaryBytes(index.bytes_max)}`}
      />
    </SimpleGrid>
  );
}

interface LimitProps {
  readonly label: string;
  /** From 0 to 100. */
  readonly share: number;
  readonly told: string;
}

function Limit({ label, share, told }: LimitProps): ReactNode {
  return (
    <Paper withBorder p="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={600} mb={6}>
        {told}
      </Text>
      <Progress
        value={share}
        size="sm"
        color={share >= 90 ? 'red' : 'blue'}
        aria-label={`${label}: ${told}`}
      />
    </Paper>
  );
}
