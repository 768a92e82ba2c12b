import type { CommandContext, Handlers } from './context.ts';

/** What a command answers that only does something. */
const done = {};

/** Views of servers. */
export function viewCommands({ views }: CommandContext): Handlers<'view'> {
  return {
    'view.open': async ({ callId }) => ({ view: await views.open(callId) }),
    'view.agree': async ({ callId, seen }) => {
      await views.agree(callId, seen);
      return done;
    },
    'view.close': ({ viewId }) => {
      views.close(viewId);
      return done;
    },
    'view.data': ({ viewId }) => views.data(viewId),
    'view.call': async ({ viewId, tool, argumentsJson }) => ({ callId: await views.call(viewId, tool, argumentsJson) }),
    'view.read': async ({ viewId, uri }) => ({ callId: await views.read(viewId, uri) }),
    'view.result': ({ viewId, callId }) => ({ resultJson: views.result(viewId, callId) }),
    'view.say': ({ viewId, kind, paramsJson }) => views.say(viewId, kind, paramsJson),
    'view.words': ({ conversationId, words }) => ({ blocks: views.words(conversationId, words) }),
    'view.log': ({ viewId, level, text }) => {
      views.log(viewId, level, text);
      return done;
    },
  };
}
