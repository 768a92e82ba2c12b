import { useTranslation } from 'react-i18next';
import type { ToolCall } from '../../../preload/contract/calls.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';

/** The way to what really went over the wire. A call that never went out has none. */
export function MessagesLink({ call }: { call: ToolCall }) {
  const { t } = useTranslation('chat');
  const { app } = useStores();
  const { serverId } = call;
  if (serverId === undefined || call.state === 'proposed' || call.state === 'awaitingApproval' || call.state === 'denied') return null;
  return (
    <Button kind="quiet" onClick={() => app.show({ page: 'settings', settings: 'servers', part: `${serverId}/trace/${call.id}` })}>
      {t('call.showMessages')}
    </Button>
  );
}
