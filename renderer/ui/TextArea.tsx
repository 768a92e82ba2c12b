import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import { controlClasses, Field } from './Field.tsx';

export interface TextAreaProps extends Omit<ComponentProps<'textarea'>, 'onChange'> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  mono?: boolean;
  onChange(value: string): void;
}

export function TextArea({ label, hint, error, mono = false, onChange, className, ...rest }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          spellCheck={false}
          rows={4}
          className={classes(controlClasses, 'py-2', mono && 'font-code', className)}
          onChange={(event) => onChange(event.target.value)}
          {...rest}
          {...ids}
        />
      )}
    </Field>
  );
}
