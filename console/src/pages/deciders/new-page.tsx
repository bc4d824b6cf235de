import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { firstDraft } from './draft.ts';
import { DeciderForm } from './form.tsx';

export function NewDeciderPage(): ReactNode {
  const [, go] = useLocation();
  return (
    <Page title="New decider" about="For requests of your account only. It can be changed at any time.">
      <Anchor component={Link} href="/deciders" underline="always">
        All deciders
      </Anchor>
      <DeciderForm
        first={firstDraft}
        isNew
        onSaved={({ name }) => {
          go(`/deciders/${name}`);
        }}
      />
    </Page>
  );
}
