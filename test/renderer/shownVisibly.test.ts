/** Sentences of ours that hold what others have written: no character of theirs hides in them, or turns the rest around. */
import { createElement, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import type { CardCalls } from '../../renderer/state/approvals.ts';
import { fakeBridge } from '../../renderer/bridge/fakeBridge.ts';
import { CardReason } from '../../renderer/features/approval/CardReason.tsx';
import { createI18n } from '../../renderer/i18n/i18n.ts';
import { createStores } from '../../renderer/state/stores.ts';
import { StoresContext } from '../../renderer/state/storesContext.tsx';
import { InlineError } from '../../renderer/ui/InlineError.tsx';

const hidden = 'invoice\u202egpj.exe\u200b';
const seen = (element: ReactElement): string => {
  const inStores = createElement(StoresContext, { value: createStores(fakeBridge()) }, element);
  return renderToStaticMarkup(createElement(I18nextProvider, { i18n: createI18n('en') }, inStores)).replace(/<[^>]*>/g, '');
};

test('an error says where a server has hidden something', () => {
  expect(seen(createElement(InlineError, { message: `It says: ${hidden}` }))).toBe('It says: invoiceU+202Egpj.exeU+200B');
});

test('the reason on a card, and what could not be looked at, show a path as it is', () => {
  const text = `You are asked because this path is not known to lie in a folder that you picked for Files: /home/ada/${hidden}.`;
  const approvals = [
    { reason: { code: 'noRule', verdict: 'ask', text }, effects: { set: [] }, inspectionIncomplete: [`${hidden} was not looked at.`] },
  ] as unknown as CardCalls;
  const shown = seen(createElement(CardReason, { approvals, keys: 'none' }));
  expect(shown).toContain('/home/ada/invoiceU+202Egpj.exeU+200B.');
  expect(shown).not.toMatch(/[\u202e\u200b]/);
});
