import type { ReactNode } from 'react';
import { Page } from '../parts/page.tsx';

export function ModelsPage(): ReactNode {
  return (
    <Page title="Models" about="">
      {null}
    </Page>
  );
}
