import type { ReactNode } from 'react';
import { Page } from '../parts/page.tsx';

export function SearchPage(): ReactNode {
  return (
    <Page title="Search" about="">
      {null}
    </Page>
  );
}
