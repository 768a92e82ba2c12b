import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { TextField } from '../../ui/TextField.tsx';

const isAddress = (text: string) => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '');

/** Any service with an OpenAI-compatible address. Its key is asked for in its row, once it is there. */
export function AddProvider() {
  const { t } = useTranslation('models');
  const bridge = useBridge();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [tried, setTried] = useState(false);
  const add = useAction(() => bridge.invoke('provider.add', { commandId: newCommandId(), name: name.trim(), baseUrl: url.trim() }));
  const nameMissing = name.trim() === '';
  const urlInvalid = !isAddress(url.trim());
  const submit = async () => {
    setTried(true);
    if (nameMissing || urlInvalid || !(await add.run()).ok) return;
    setName('');
    setUrl('');
    setTried(false);
  };
  return (
    <form
      noValidate
      className="flex max-w-160 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextField
        label={t('custom.name')}
        error={tried && nameMissing ? t('custom.nameMissing') : undefined}
        maxLength={100}
        value={name}
        onChange={setName}
      />
      <TextField
        label={t('custom.url')}
        hint={t('custom.urlHint')}
        error={tried && urlInvalid ? t('custom.urlInvalid') : undefined}
        mono
        inputMode="url"
        value={url}
        onChange={setUrl}
      />
      <FailureNote failure={add.failure} />
      <Button type="submit" className="self-start" disabled={add.busy}>
        {t('custom.add')}
      </Button>
    </form>
  );
}
