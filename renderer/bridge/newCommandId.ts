import type { CommandId } from '../../preload/contract/ids.ts';

/** A fresh id for one changing command. A command that is sent again keeps its id, so that the host does it once. */
export const newCommandId = (): CommandId => crypto.randomUUID() as CommandId;
