import { useMemo } from 'react';
import { useBridge } from '../bridge/bridgeContext.tsx';
import { type ChatActions, chatActions } from './chatActions.ts';
import { useStores } from './storesContext.tsx';

export function useChatActions(): ChatActions {
  const bridge = useBridge();
  const stores = useStores();
  return useMemo(() => chatActions(bridge, stores), [bridge, stores]);
}
