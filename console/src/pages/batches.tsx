import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { BatchPage } from './batches/batch-page.tsx';
import { BatchListPage } from './batches/list-page.tsx';

/** All batches, or the one that the address names. */
export function BatchesPage(): ReactNode {
  const [location] = useLocation();
  const id = location.slice('/batches/'.length);
  return id === '' ? <BatchListPage /> : <BatchPage key={id} id={id} />;
}
