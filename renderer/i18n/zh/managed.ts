import type { managed as en } from '../en/managed.ts';
import type { Translation } from '../translation.ts';

export const managed: Translation<typeof en> = {
  set: '由你的组织设定',
  setBy: '由 {{organisation}} 设定',
  'sets.servers': '只有部分服务器可以运行。',
  'sets.tools': '有些工具永远不会被调用。',
  'sets.changedDefinitions': '对自身的说明与之前不同的工具会被阻止，直到你同意。',
  'sets.standingPermissions': '你的允许只对一次调用或一次回答有效。',
  'sets.audit': '只有在活动记录可以检查时才会调用。',
  'sets.bundles': '只有签名者身份可信的服务器包才会运行。',
  'sets.sandbox': '此计算机上的服务器在 “受保护”或“严格”下运行。',
};
