import { Refusal, messageOf } from '../host/refusal.ts';

/** What the error box says when Maitre cannot start. A refusal brings its own sentence; a bug gets a general one. */
export function startFailureText(thrown: unknown): { title: string; body: string } {
  const title = 'Maitre could not start';
  if (thrown instanceof Refusal) {
    const { message, detail } = thrown.failure;
    return { title, body: detail === undefined ? message : `${message}\n\n${detail}` };
  }
  return { title, body: `Something went wrong inside Maitre. Nothing was changed.\n\n${messageOf(thrown)}` };
}
