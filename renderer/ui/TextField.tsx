import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import { controlClasses, Field } from './Field.tsx';

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  mono?: boolean;
  onChange(value: string): void;
}

export function TextField({ label, hint, error, mono = false, onChange, className, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <input
          type="text"
          spellCheck={false}
          autoComplete="off"
          className={classes(controlClasses, 'h-8', mono && 'font-code', className)}
          onChange={(event) => onChange(event.target.value)}
          {...rest}
          {...ids}
        />
      )}
    </Field>
  );
}
