import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import { controlClasses, Field } from './Field.tsx';

export interface SelectProps extends Omit<ComponentProps<'select'>, 'onChange' | 'value'> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange(value: string): void;
}

/** The system's own list: it needs no inner HTML, works by keyboard everywhere and follows the theme. */
export function Select({ label, hint, error, options, onChange, className, ...rest }: SelectProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <select className={classes(controlClasses, 'h-8', className)} onChange={(event) => onChange(event.target.value)} {...rest} {...ids}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
