import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { Page } from '../parts/page.tsx';
import { JobList } from './jobs/job-list.tsx';
import { JobView } from './jobs/job-view.tsx';
import { NewJobForm } from './jobs/new-job-form.tsx';

export function JobsPage(): ReactNode {
  const [params, setParams] = useSearchParams();
  const [made, setMade] = useState(0);
  const openId = params.get('job') ?? '';
  const open = (id: string) => {
    setParams(id === '' ? {} : { job: id }, { replace: true });
  };
  return (
    <Page
      title="Jobs"
      about="Chat completions that run on their own: create one, leave, and come back for the report."
    >
      <NewJobForm
        onCreated={({ id }) => {
          setMade(made + 1);
          open(id);
        }}
      />
      {openId !== '' && (
        <JobView
          key={openId}
          id={openId}
          onClose={() => {
            open('');
          }}
        />
      )}
      <JobList openId={openId} made={made} onOpen={open} />
    </Page>
  );
}
