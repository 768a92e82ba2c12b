import type { Model, StepRequest } from './model.ts';

/** The model, with every request told as it goes out. */
export const tellRequests = (model: Model, tell: ((request: StepRequest) => void) | undefined): Model =>
  tell === undefined
    ? model
    : {
        ref: model.ref,
        provider: model.provider,
        limits: model.limits,
        leavesComputer: model.leavesComputer,
        stream(request) {
          tell(request);
          return model.stream(request);
        },
      };
