import { Component, type ReactNode } from 'react';

/**
 * Shows `instead` where drawing the children fails: without it one text that cannot be drawn would take the whole window away. When `of`, the
 * thing that is drawn, is another one, it is tried again.
 */
export class Fallback extends Component<{ instead: ReactNode; children: ReactNode; of?: unknown }, { failed: boolean; of: unknown }> {
  override state = { failed: false, of: this.props.of };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  static getDerivedStateFromProps({ of }: { of?: unknown }, state: { of: unknown }): { failed: boolean; of: unknown } | null {
    return of === state.of ? null : { failed: false, of };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
