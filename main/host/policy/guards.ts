import { decide } from './decide.ts';
import { agreedTool, definitionState } from './definitions.ts';
import { leaveOut } from './leaveOut.ts';
import { chatLabels, resultLabels } from './labels.ts';
import { realPathOf } from './paths.ts';

/**
 * The functions on which it rests that nothing leaves without the user knowing, in one place. `createHost` takes others only from its
 * options, which no shell sets: the attacks in the tests switch one off to show that it is this one that holds.
 */
export interface Guards {
  agreedTool: typeof agreedTool;
  decide: typeof decide;
  definitionState: typeof definitionState;
  chatLabels: typeof chatLabels;
  resultLabels: typeof resultLabels;
  leaveOut: typeof leaveOut;
  realPathOf: typeof realPathOf;
}

export const guards: Guards = { agreedTool, definitionState, decide, chatLabels, resultLabels, leaveOut, realPathOf };
