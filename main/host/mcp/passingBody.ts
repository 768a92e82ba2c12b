/** One look at the body of a response, and what it makes of it, while it passes. */
export interface BodyStep {
  /** What goes on in the chunk's place; undefined while it is held back. A throw ends the body with that error. */
  chunk(bytes: Uint8Array): Uint8Array | undefined;
  /** The body has ended. Returns what was held back. */
  end?(): Uint8Array | undefined;
  /** A step has ended the body with an error. */
  failed?(error: unknown): void;
  /** Nobody reads on. */
  cancel?(): void;
}

/** Several layers look at the same body: they share one stream, since every further one costs as much as a small call. */
const stepsOf = new WeakMap<Response, BodyStep[]>();

/** The response, its body passing through `step` behind the steps that were put there before. Must be called before the body is read. */
export function passing(response: Response, step: BodyStep): Response {
  const { body } = response;
  if (!body) return response;
  const before = stepsOf.get(response);
  if (before && !body.locked) {
    before.push(step);
    return response;
  }

  const steps = [step];
  const reader = body.getReader();
  const run = (bytes: Uint8Array, from: number): Uint8Array | undefined => {
    let left: Uint8Array | undefined = bytes;
    for (let index = from; left !== undefined && index < steps.length; index += 1) left = steps[index]?.chunk(left);
    return left;
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) {
            for (const [index, each] of steps.entries()) {
              const held = each.end?.();
              const left = held && run(held, index + 1);
              if (left) controller.enqueue(left);
            }
            return controller.close();
          }
          try {
            const left = run(value, 0);
            if (left) return controller.enqueue(left);
          } catch (error) {
            for (const each of steps) each.failed?.(error);
            await reader.cancel(error);
            throw error;
          }
        }
      },
      async cancel(reason) {
        for (const each of steps) each.cancel?.();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  const passed = new Response(stream, { status, statusText, headers });
  Object.defineProperty(passed, 'url', { value: response.url });
  Object.defineProperty(passed, 'redirected', { value: response.redirected });
  stepsOf.set(passed, steps);
  return passed;
}
