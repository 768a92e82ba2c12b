import type { ReactNode } from 'react';
import type { Failure } from '../../preload/contract/result.ts';
import { InlineError } from './InlineError.tsx';

/** A failed command beside the control that gave it. Nothing where nothing failed. */
export function FailureNote({ failure, action }: { failure: Failure | undefined; action?: ReactNode }) {
  if (failure === undefined || failure.code === 'cancelled') return null;
  return <InlineError message={failure.message} detail={failure.detail} action={action} />;
}
