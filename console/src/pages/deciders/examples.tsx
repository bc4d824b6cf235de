import { Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { AddExamples } from './add-examples.tsx';
import { ExampleTable } from './example-table.tsx';

/** What a decider can learn from: added, listed, deleted. */
export function Examples({ name }: { readonly name: string }): ReactNode {
  const [added, setAdded] = useState(0);
  return (
    <Stack gap="lg">
      <AddExamples
        name={name}
        onAdded={() => {
          setAdded((before) => before + 1);
        }}
      />
      <ExampleTable key={added} name={name} />
    </Stack>
  );
}
