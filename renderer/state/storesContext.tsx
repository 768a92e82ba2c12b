import { createContext, useContext } from 'react';
import type { Stores } from './stores.ts';

export const StoresContext = createContext<Stores | null>(null);

/** The window's stores; read one with zustand's `useStore(stores.history.store, selector)`. */
export function useStores(): Stores {
  const stores = useContext(StoresContext);
  if (stores === null) throw new Error('No stores: the component stands outside StoresContext.');
  return stores;
}
