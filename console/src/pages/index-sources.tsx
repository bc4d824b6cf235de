import type { ReactNode } from 'react';
import { Page } from '../parts/page.tsx';

export function IndexPage(): ReactNode {
  return (
    <Page title="Index" about="">
      {null}
    </Page>
  );
}
