import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Server, ServerConfig } from '../../../preload/contract/servers.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { TextField } from '../../ui/TextField.tsx';
import type { FormOutcome, FormProblems } from './serverForm.ts';
import { useAddServer } from './useAddServer.ts';
import { useFocusOnProblem } from './useFocusOnProblem.ts';

/** What every form for a new server has: a name, problems at their fields, adding it. The rest of its fields are `children`. */
export function NewServerForm({
  name,
  onName,
  read,
  onAdded,
  children,
}: {
  name: string;
  onName(name: string): void;
  read(): FormOutcome<ServerConfig>;
  onAdded(server: Server): void;
  children(problems: FormProblems): ReactNode;
}) {
  const { t } = useTranslation('servers');
  const [problems, setProblems] = useState<FormProblems>({});
  const add = useAddServer();
  const form = useFocusOnProblem(problems);
  const submit = async () => {
    const outcome = read();
    setProblems(outcome.ok ? {} : outcome.problems);
    if (!outcome.ok) return;
    const result = await add.run(outcome.name, outcome.config, outcome.secrets);
    if (result.ok) onAdded(result.value);
  };
  return (
    <form
      ref={form}
      noValidate
      className="flex max-w-160 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextField
        label={t('form.name')}
        hint={t('form.nameHint')}
        error={problems.name && t(`form.problems.${problems.name}`)}
        maxLength={128}
        value={name}
        onChange={onName}
      />
      {children(problems)}
      <FailureNote failure={add.failure} />
      <Button kind="primary" type="submit" className="self-start" disabled={add.busy}>
        {t(add.busy ? 'adding.submitting' : 'adding.submit')}
      </Button>
    </form>
  );
}
