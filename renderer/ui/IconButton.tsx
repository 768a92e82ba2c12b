import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import { Tooltip } from './Tooltip.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'children'> {
  /** Read by screen readers and shown on hover: an icon alone says too little. */
  label: string;
  icon: ReactNode;
  /** 28 px instead of 32. */
  small?: boolean;
  /** Shown after the label in the tip. */
  keys?: string;
}

export function IconButton({ label, icon, small = false, keys, className, type = 'button', ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} {...(keys === undefined ? {} : { keys })}>
      <button
        type={type}
        aria-label={label}
        className={classes(
          'inline-flex shrink-0 items-center justify-center rounded-control text-ink-2 transition-colors duration-[120ms] hover:not-disabled:bg-hover hover:not-disabled:text-ink disabled:opacity-50',
          small ? 'size-7' : 'size-8',
          className,
        )}
        {...rest}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
