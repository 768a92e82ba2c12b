import type { DecisionReason } from '../../../preload/contract/policy.ts';

/** Why a call is asked about, allowed or denied. The host says it in English; a reason that is not listed stays in its words. */
export const reasons: Readonly<Partial<Record<DecisionReason['code'], string>>> = {
  noRule: '需要你决定，因为你还没有允许过此工具。',
  notReviewed: '需要你决定，因为还没有人说明此工具的作用。它可能更改内容或向外发送数据。',
  changesOrSendsOut: '需要你决定，因为此工具会更改内容。',
  alwaysAsksToDelete: '删除之前总会先问你。',
  ruleAllows: '你的一条规则允许此工具。',
  ruleDenies: '你的一条规则拒绝此工具。',
  managedDenies: '你的组织不允许这次调用。',
  definitionChanged: '需要你决定，因为此工具在你同意之后有了变化。在你查看变化之前，先前的权限暂不生效。',
  changeAgreed: '此工具在你同意之后有了变化，所以需要你决定。你已同意这一变化；这次调用仍等你决定。',
  privateContent: '需要你决定，因为此对话读过可能由他人写成的内容，也读过私密内容，而此工具会更改内容或向外发送数据。',
  untrustedContent: '需要你决定，因为此对话读过可能由他人写成的内容，而此工具会更改内容或向外发送数据。',
  choosesDestination: '需要你决定，因为这次调用自己选择要发往哪里。',
  ownTool: 'Maitre 自己的工具，只读取此对话中的内容。',
};

export const sendsOutReason = '需要你决定，因为此工具可能向外发送数据。';
