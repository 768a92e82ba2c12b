import { useEffect } from 'react';
import { useStores } from '../state/storesContext.tsx';

/** A bundle that is dropped anywhere on the window is opened and shown. Other files are not: a browser would leave the page for them. */
export function useBundleDrop(): void {
  const { app, openedBundle } = useStores();
  useEffect(() => {
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent) => {
      if (holdsFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      const bundle = [...(event.dataTransfer?.files ?? [])].find(({ name }) => /\.(mcpb|dxt)$/i.test(name));
      if (bundle === undefined || app.store.getState().phase.kind !== 'ready') return;
      void openedBundle.open(bundle);
      app.show({ page: 'settings', settings: 'servers', part: 'bundle' });
    };
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
    };
  }, [app, openedBundle]);
}
