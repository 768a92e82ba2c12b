import type { ConversationId } from '../../preload/contract/ids.ts';
import type { AppStore } from '../state/app.ts';

const key = 'maitre.chat';

/** A page that is loaded again shows the chat that it showed. The id alone is kept, and only for this tab. */
export function rememberView(app: AppStore, storage: Storage): void {
  const id = storage.getItem(key);
  // What is no id was put there by something else; an id of a deleted chat is answered by the host with a sentence.
  if (id !== null && /^[A-Za-z0-9_-]{1,64}$/.test(id)) app.show({ page: 'chat', conversationId: id as ConversationId });
  app.store.subscribe(({ view }) => {
    if (view.page !== 'chat') return;
    if (view.conversationId === null) storage.removeItem(key);
    else storage.setItem(key, view.conversationId);
  });
}
