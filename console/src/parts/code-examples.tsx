import { Button, Code, CopyButton, Group, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';

export interface CodeExample {
  /** Also the name of the tab: curl, TypeScript, Python. */
  readonly language: string;
  readonly code: string;
}

/** The same request in several languages. Examples read the key from a variable and never contain it. */
export function CodeExamples({ examples }: { readonly examples: readonly CodeExample[] }): ReactNode {
  return (
    <Tabs defaultValue={examples[0]?.language ?? null}>
      <Tabs.List>
        {examples.map(({ language }) => (
          <Tabs.Tab key={language} value={language}>
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {examples.map(({ language, code }) => (
        <Tabs.Panel key={language} value={language} pt="xs">
          <Group justify="flex-end">
            <CopyButton value={code}>
              {({ copied, copy }) => (
                <Button size="compact-sm" variant="default" onClick={copy}>
                  {copied ? 'Copied' : 'Copy'}
                </Button>
              )}
            </CopyButton>
          </Group>
          {/* What scrolls has to be reachable by keyboard. */}
          <Code block tabIndex={0} role="region" aria-label={`Request in ${language}`}>
            {code}
          </Code>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
