/** Which of our colours a view gets under the names of the protocol. The others it does not get, and takes its own. */
const colours: Readonly<Record<string, string>> = {
  '--color-background-primary': '--surface',
  '--color-background-secondary': '--canvas',
  '--color-background-tertiary': '--sunken',
  '--color-background-info': '--accent-soft',
  '--color-background-danger': '--danger-soft',
  '--color-background-success': '--read-soft',
  '--color-background-warning': '--write-soft',
  '--color-text-primary': '--ink',
  '--color-text-secondary': '--ink-2',
  '--color-text-tertiary': '--ink-3',
  '--color-text-info': '--accent',
  '--color-text-danger': '--danger',
  '--color-text-success': '--read',
  '--color-text-warning': '--write',
  '--color-border-primary': '--line-strong',
  '--color-border-secondary': '--line',
  '--color-ring-primary': '--accent',
};

const fixed: Readonly<Record<string, string>> = {
  '--font-sans': 'system-ui, sans-serif',
  '--font-mono': 'ui-monospace, monospace',
  '--font-weight-normal': '400',
  '--font-weight-semibold': '600',
  '--font-text-xs-size': '12px',
  '--font-text-xs-line-height': '16px',
  '--font-text-sm-size': '13px',
  '--font-text-sm-line-height': '20px',
  '--font-text-md-size': '15px',
  '--font-text-md-line-height': '24px',
  '--font-heading-sm-size': '17px',
  '--font-heading-sm-line-height': '24px',
  '--font-heading-lg-size': '24px',
  '--font-heading-lg-line-height': '32px',
  '--border-radius-sm': '6px',
  '--border-radius-md': '10px',
  '--border-radius-lg': '14px',
  '--border-radius-full': '9999px',
  '--border-width-regular': '1px',
};

/** The style variables of `hostContext`, as they are written here: `light-dark(…)`, which follows the view's own `color-scheme`. */
export function viewStyles(root: Element = document.documentElement): Record<string, string> {
  const style = getComputedStyle(root);
  const own = Object.entries(colours).map(([name, ours]) => [name, style.getPropertyValue(ours).trim()] as const);
  return { ...Object.fromEntries(own), ...fixed };
}
