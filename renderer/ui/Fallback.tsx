import { Component, type ReactNode } from 'react';

/** Shows `instead` where drawing the children fails: without it one text that cannot be drawn would take the whole window away. */
export class Fallback extends Component<{ instead: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
