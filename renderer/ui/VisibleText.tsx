import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { visiblePieces } from '../text/visiblePieces.ts';

/** Text from a server or a model as plain text, left to right in its own isolation, with every character that hides made visible. */
export function VisibleText({ text }: { text: string }) {
  const { t } = useTranslation('app');
  const pieces = useMemo(() => visiblePieces(text), [text]);
  return (
    <bdi>
      {pieces.map((piece, index) =>
        piece.kind === 'text' ? (
          piece.text
        ) : (
          <span
            key={index}
            role="img"
            aria-label={t('hidden.label', { code: piece.code })}
            className="rounded-[4px] border border-danger px-1 font-ui text-caption whitespace-nowrap text-danger"
          >
            {piece.code}
          </span>
        ),
      )}
    </bdi>
  );
}
