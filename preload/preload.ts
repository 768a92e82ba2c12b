import { contextBridge, ipcRenderer } from 'electron';
import type { Bridge } from './contract/bridge.ts';
import { eventChannel, invokeChannel } from './contract/bridge.ts';

/**
 * Forwards, decides nothing. Only functions of plain data cross into the page: were `ipcRenderer` or one of its
 * event objects handed out, a page could speak on channels of its own choice.
 */
const bridge: Bridge = {
  invoke: (name, input) => ipcRenderer.invoke(invokeChannel, name, input),
  on(listener) {
    const forward = (_event: unknown, message: Parameters<typeof listener>[0]): void => listener(message);
    ipcRenderer.on(eventChannel, forward);
    return () => {
      ipcRenderer.off(eventChannel, forward);
    };
  },
};

contextBridge.exposeInMainWorld('maitre', bridge);
